# What condor_userprio -all -l would print, written by hand.
MyType = "Accounting"
Name = "<none>"
IsAccountingGroup = true
Priority = 4000.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 4.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000
EffectiveQuota = 16.5

MyType = "Accounting"
Name = "physics"
IsAccountingGroup = true
Priority = 16000.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 16.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000
EffectiveQuota = 11.0

MyType = "Accounting"
Name = "chemistry"
IsAccountingGroup = true
Priority = 500.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 0.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000
EffectiveQuota = 16.5

MyType = "Accounting"
Name = "physics.alice@example.org"
IsAccountingGroup = false
Priority = 12000.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 12.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000

MyType = "Accounting"
Name = "physics.bob@example.org"
IsAccountingGroup = false
Priority = 4000.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 4.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000

MyType = "Accounting"
Name = "chemistry.erin@example.org"
IsAccountingGroup = false
Priority = 500.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 0.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000

MyType = "Accounting"
Name = "chemistry.carol@example.org"
IsAccountingGroup = false
Priority = 600.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 0.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000

MyType = "Accounting"
Name = "frank@example.org"
IsAccountingGroup = false
Priority = 3000.0
PriorityFactor = 1000.0
WeightedResourcesUsed = 4.0
LastUpdate = 1789999940
LastHeardFrom = 1790000000
