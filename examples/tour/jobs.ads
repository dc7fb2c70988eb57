# What condor_q -all -l would print, written by hand.
# Running.
MyType = "Job"
ClusterId = 3
ProcId = 0
GlobalJobId = "ap1#3.0#1789990000"
JobStatus = 2
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "bob"
User = "bob@example.org"
AcctGroup = "physics"
AcctGroupUser = "bob"
AccountingGroup = "physics.bob"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
RemoteHost = "slot1@node3"
ConcurrencyLimits = "matlab"

MyType = "Job"
ClusterId = 3
ProcId = 1
GlobalJobId = "ap1#3.1#1789990000"
JobStatus = 2
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "bob"
User = "bob@example.org"
AcctGroup = "physics"
AcctGroupUser = "bob"
AccountingGroup = "physics.bob"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
RemoteHost = "slot2@node3"
ConcurrencyLimits = "matlab"

MyType = "Job"
ClusterId = 3
ProcId = 2
GlobalJobId = "ap1#3.2#1789990000"
JobStatus = 2
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "bob"
User = "bob@example.org"
AcctGroup = "physics"
AcctGroupUser = "bob"
AccountingGroup = "physics.bob"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
RemoteHost = "slot3@node3"

MyType = "Job"
ClusterId = 3
ProcId = 3
GlobalJobId = "ap1#3.3#1789990000"
JobStatus = 2
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "bob"
User = "bob@example.org"
AcctGroup = "physics"
AcctGroupUser = "bob"
AccountingGroup = "physics.bob"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
RemoteHost = "slot4@node3"

MyType = "Job"
ClusterId = 4
ProcId = 0
GlobalJobId = "ap1#4.0#1789990000"
JobStatus = 2
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "alice"
User = "alice@example.org"
AcctGroup = "physics"
AcctGroupUser = "alice"
AccountingGroup = "physics.alice"
RequestCpus = 12
RequestMemory = 61440
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
RemoteHost = "slot1_1@big1"

MyType = "Job"
ClusterId = 5
ProcId = 0
GlobalJobId = "ap1#5.0#1789990000"
JobStatus = 2
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "frank"
User = "frank@example.org"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
RemoteHost = "slot1@node4"

# Idle, with nothing wrong.
MyType = "Job"
ClusterId = 10
ProcId = 0
GlobalJobId = "ap1#10.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "erin"
User = "erin@example.org"
AcctGroup = "chemistry"
AcctGroupUser = "erin"
AccountingGroup = "chemistry.erin"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

# A slip in the name of an attribute.
MyType = "Job"
ClusterId = 11
ProcId = 0
GlobalJobId = "ap1#11.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "carol"
User = "carol@example.org"
AcctGroup = "chemistry"
AcctGroupUser = "carol"
AccountingGroup = "chemistry.carol"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory) && TARGET.HasMatlb

# More memory than any machine has.
MyType = "Job"
ClusterId = 12
ProcId = 0
GlobalJobId = "ap1#12.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "frank"
User = "frank@example.org"
RequestCpus = 1
RequestMemory = 100000
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

# A licence that is in use.
MyType = "Job"
ClusterId = 13
ProcId = 0
GlobalJobId = "ap1#13.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "frank"
User = "frank@example.org"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory) && TARGET.HasMatlab
ConcurrencyLimits = "matlab"

# Its group is over its quota.
MyType = "Job"
ClusterId = 14
ProcId = 0
GlobalJobId = "ap1#14.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "alice"
User = "alice@example.org"
AcctGroup = "physics"
AcctGroupUser = "alice"
AccountingGroup = "physics.alice"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

# Prefers fast machines.
MyType = "Job"
ClusterId = 15
ProcId = 0
GlobalJobId = "ap1#15.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "frank"
User = "frank@example.org"
RequestCpus = 1
RequestMemory = 1024
Rank = TARGET.KFlops / 1000
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

MyType = "Job"
ClusterId = 15
ProcId = 1
GlobalJobId = "ap1#15.1#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "frank"
User = "frank@example.org"
RequestCpus = 1
RequestMemory = 1024
Rank = TARGET.KFlops / 1000
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

MyType = "Job"
ClusterId = 15
ProcId = 2
GlobalJobId = "ap1#15.2#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "frank"
User = "frank@example.org"
RequestCpus = 1
RequestMemory = 1024
Rank = TARGET.KFlops / 1000
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

# Small jobs of a group that is below its quota.
MyType = "Job"
ClusterId = 16
ProcId = 0
GlobalJobId = "ap1#16.0#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "carol"
User = "carol@example.org"
AcctGroup = "chemistry"
AcctGroupUser = "carol"
AccountingGroup = "chemistry.carol"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

MyType = "Job"
ClusterId = 16
ProcId = 1
GlobalJobId = "ap1#16.1#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "carol"
User = "carol@example.org"
AcctGroup = "chemistry"
AcctGroupUser = "carol"
AccountingGroup = "chemistry.carol"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)

MyType = "Job"
ClusterId = 16
ProcId = 2
GlobalJobId = "ap1#16.2#1789990000"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1789990000
Owner = "carol"
User = "carol@example.org"
AcctGroup = "chemistry"
AcctGroupUser = "carol"
AccountingGroup = "chemistry.carol"
RequestCpus = 1
RequestMemory = 1024
Rank = 0.0
Requirements = (TARGET.OpSys == "LINUX") && (TARGET.Cpus >= RequestCpus) && (TARGET.Memory >= RequestMemory)
