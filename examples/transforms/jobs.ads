ClusterId = 1
ProcId = 0
Owner = "dora"
User = "dora@campus.example"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1795788165
RequestCpus = 1
RequestMemory = 2000
RequestDisk = 1000
Requirements = TARGET.Memory >= RequestMemory
Dept = "bio"
WantSites = "local,cloud"

ClusterId = 1
ProcId = 1
Owner = "dora"
User = "dora@campus.example"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1795788165
RequestCpus = 1
RequestMemory = 2000
RequestDisk = 1000
Requirements = TARGET.Memory >= RequestMemory
Dept = "bio"
WantSites = "local,cloud"

ClusterId = 2
ProcId = 0
Owner = "eva"
User = "eva@campus.example"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1795788165
RequestCpus = 1
RequestMemory = 16000
RequestDisk = 1000
Requirements = TARGET.Memory >= RequestMemory
WantSites = "local"
Camp_Shift = "night"

ClusterId = 3
ProcId = 0
Owner = "finn"
User = "finn@campus.example"
JobStatus = 1
JobUniverse = 5
JobPrio = 0
QDate = 1795788165
RequestCpus = 1
RequestMemory = 1000
RequestDisk = 1000
Requirements = TARGET.Memory >= RequestMemory
Dept = "math"
WantGlobus = true
