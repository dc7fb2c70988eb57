MyType = "Accounting"
Name = "DedicatedScheduler@s1@site.example"
Priority = 0.5
PriorityFactor = 1000.0

MyType = "Accounting"
Name = "alice@site.example"
Priority = 0.5
PriorityFactor = 1000.0

MyType = "Accounting"
Name = "bob@site.example"
Priority = 0.5
PriorityFactor = 1000.0

MyType = "Accounting"
Name = "carol@site.example"
Priority = 0.5
PriorityFactor = 1000.0
