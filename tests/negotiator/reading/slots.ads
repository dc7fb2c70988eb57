MyType = "Machine"
Name = "slot1@a"
Machine = "a"
State = "Unclaimed"
Activity = "Idle"
Cpus = 2
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
StartdIpAddr = "<10.0.0.1:9618>"
MyAddress = "<10.0.0.1:9618>"
Requirements = TARGET.RequestMemory <= MY.Memory
LastHeardFrom = 1700000300
MyCurrentTime = 1700000290

MyType = "Machine"
Name = "slot2@a"
Machine = "a"
State = "Claimed"
Activity = "Busy"
Cpus = 2
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
StartdIpAddr = "<10.0.0.1:9618>"
MyAddress = "<10.0.0.1:9618>"
Requirements = TARGET.RequestMemory <= MY.Memory
RemoteUser = "g.x.bob@pool"
RemoteOwner = "bob@pool"
TotalJobRunTime = 500
RetirementTimeRemaining = 250
LastHeardFrom = 1700000000
MyCurrentTime = 1699999999

MyType = "Machine"
Name = "slot1@b"
Machine = "b"
State = "Unclaimed"
Activity = "Idle"
Cpus = 8
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
StartdIpAddr = "<10.0.0.1:9618>"
MyAddress = "<10.0.0.1:9618>"
Requirements = TARGET.RequestMemory <= MY.Memory
PartitionableSlot = True
SlotType = "Partitionable"
ChildName = {"slot1_1@b", "slot1_2@b"}
LastHeardFrom = 1700000310

MyType = "Machine"
Name = "slot1_1@b"
Machine = "b"
State = "Claimed"
Activity = "Busy"
Cpus = 2
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
StartdIpAddr = "<10.0.0.1:9618>"
MyAddress = "<10.0.0.1:9618>"
Requirements = TARGET.RequestMemory <= MY.Memory
DynamicSlot = True
RemoteUser = "carol@pool"
RemoteOwner = "carol@pool"
LastHeardFrom = 1700000310

MyType = "Machine"
Name = "slot1_2@b"
Machine = "b"
State = "Claimed"
Activity = "Busy"
Cpus = 2
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
StartdIpAddr = "<10.0.0.1:9618>"
MyAddress = "<10.0.0.1:9618>"
Requirements = TARGET.RequestMemory <= MY.Memory
DynamicSlot = True
RemoteUser = "alice@pool"
RemoteOwner = "alice@pool"
LastHeardFrom = 1700000310
