# What condor_userprio -all -l would print, written by hand. A bigger priority is a worse one.
MyType = "Accounting"
Name = "physics.ann@example.org"
Priority = 500.0
PriorityFactor = 1000.0
LastUpdate = 1789999980

MyType = "Accounting"
Name = "physics.bert@example.org"
Priority = 1000.0
PriorityFactor = 1000.0
LastUpdate = 1789999980

MyType = "Accounting"
Name = "chemistry.carl@example.org"
Priority = 2000.0
PriorityFactor = 1000.0
LastUpdate = 1789999980

MyType = "Accounting"
Name = "eve@example.org"
Priority = 50000.0
PriorityFactor = 1000.0
LastUpdate = 1789999980

MyType = "Accounting"
Name = "<none>"
IsAccountingGroup = true
Priority = 500.0
PriorityFactor = 1000.0
LastUpdate = 1789999980
EffectiveQuota = 0.0

MyType = "Accounting"
Name = "chemistry"
IsAccountingGroup = true
Priority = 500.0
PriorityFactor = 1000.0
LastUpdate = 1789999980
EffectiveQuota = 20.0

MyType = "Accounting"
Name = "physics"
IsAccountingGroup = true
Priority = 500.0
PriorityFactor = 1000.0
LastUpdate = 1789999980
EffectiveQuota = 10.0
