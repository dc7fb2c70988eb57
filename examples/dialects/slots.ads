# What condor_status -l would print, written by hand: 15 slots of one core.
MyType = "Machine"
Name = "slot1@node01"
Machine = "node01"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.1:9618>"
StartdIpAddr = "<192.0.2.1:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node02"
Machine = "node02"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.2:9618>"
StartdIpAddr = "<192.0.2.2:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node03"
Machine = "node03"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.3:9618>"
StartdIpAddr = "<192.0.2.3:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node04"
Machine = "node04"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.4:9618>"
StartdIpAddr = "<192.0.2.4:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node05"
Machine = "node05"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.5:9618>"
StartdIpAddr = "<192.0.2.5:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node06"
Machine = "node06"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.6:9618>"
StartdIpAddr = "<192.0.2.6:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node07"
Machine = "node07"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.7:9618>"
StartdIpAddr = "<192.0.2.7:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node08"
Machine = "node08"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.8:9618>"
StartdIpAddr = "<192.0.2.8:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node09"
Machine = "node09"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.9:9618>"
StartdIpAddr = "<192.0.2.9:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node10"
Machine = "node10"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.10:9618>"
StartdIpAddr = "<192.0.2.10:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node11"
Machine = "node11"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.11:9618>"
StartdIpAddr = "<192.0.2.11:9618>"
LastHeardFrom = 1789999980

MyType = "Machine"
Name = "slot1@node12"
Machine = "node12"
State = "Unclaimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.12:9618>"
StartdIpAddr = "<192.0.2.12:9618>"
LastHeardFrom = 1789999980

# A busy claim of a user of good priority, a claim without a job, a busy claim of bad priority
# (the last three).
MyType = "Machine"
Name = "slot1@node13"
Machine = "node13"
State = "Claimed"
Activity = "Busy"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.13:9618>"
StartdIpAddr = "<192.0.2.13:9618>"
LastHeardFrom = 1789999980
RemoteOwner = "ann@example.org"
RemoteUser = "ann@example.org"
AccountingGroup = "physics.ann@example.org"

MyType = "Machine"
Name = "slot1@node14"
Machine = "node14"
State = "Claimed"
Activity = "Idle"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.14:9618>"
StartdIpAddr = "<192.0.2.14:9618>"
LastHeardFrom = 1789999980
RemoteOwner = "ann@example.org"
RemoteUser = "ann@example.org"
AccountingGroup = "physics.ann@example.org"

MyType = "Machine"
Name = "slot1@node15"
Machine = "node15"
State = "Claimed"
Activity = "Busy"
Cpus = 1
Memory = 2048
SlotWeight = Cpus
Rank = 0.0
CurrentRank = 0.0
Requirements = TARGET.RequestMemory <= MY.Memory
MyAddress = "<192.0.2.15:9618>"
StartdIpAddr = "<192.0.2.15:9618>"
LastHeardFrom = 1789999980
RemoteOwner = "eve@example.org"
RemoteUser = "eve@example.org"
AccountingGroup = "eve@example.org"
