# What condor_status -submitters -l would print, written by hand.
MyType = "Submitter"
Name = "physics.ann@example.org"
ScheddName = "ap1"
ScheddIpAddr = "<192.0.2.100:9618>"
IdleJobs = 0
RunningJobs = 2
WeightedIdleJobs = 0
WeightedRunningJobs = 2
LastHeardFrom = 1789999980

MyType = "Submitter"
Name = "physics.bert@example.org"
ScheddName = "ap1"
ScheddIpAddr = "<192.0.2.100:9618>"
IdleJobs = 12
RunningJobs = 0
WeightedIdleJobs = 12
WeightedRunningJobs = 0
LastHeardFrom = 1789999980

MyType = "Submitter"
Name = "chemistry.carl@example.org"
ScheddName = "ap1"
ScheddIpAddr = "<192.0.2.100:9618>"
IdleJobs = 12
RunningJobs = 0
WeightedIdleJobs = 12
WeightedRunningJobs = 0
LastHeardFrom = 1789999980

MyType = "Submitter"
Name = "eve@example.org"
ScheddName = "ap1"
ScheddIpAddr = "<192.0.2.100:9618>"
IdleJobs = 0
RunningJobs = 1
WeightedIdleJobs = 0
WeightedRunningJobs = 1
LastHeardFrom = 1789999980
