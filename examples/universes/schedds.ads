CondorPlatform = "$CondorPlatform: X86_64-Debian_ $"
CondorVersion = "$CondorVersion: 25.14.1 2026-10-16 PackageID: 25.14.1+dfsg-1 $"
DetectedCpus = 2
DetectedMemory = 24105
Machine = "cm.site.example"
MaxJobsRunning = 10000
MaxRunningSchedulerJobsPerOwner = 2
MyAddress = "<192.0.2.1:9872>"
MyCurrentTime = 1795895318
MyType = "Scheduler"
Name = "s1@site.example"
StartLocalUniverse = TotalLocalJobsRunning < 2
StartSchedulerUniverse = TotalSchedulerJobsRunning < 3 && (TARGET.Workflow =!= "nightly")
TotalIdleJobs = 14
TotalLocalJobsIdle = 2
TotalLocalJobsRunning = 2
TotalSchedulerJobsIdle = 3
TotalSchedulerJobsRunning = 2
