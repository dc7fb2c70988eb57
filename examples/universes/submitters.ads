IdleJobs = 0
MyAddress = "<192.0.2.1:9872>"
MyType = "Submitter"
Name = "DedicatedScheduler@s1@site.example"
RunningJobs = 0
ScheddIpAddr = "<192.0.2.1:9872>"
ScheddName = "s1@site.example"

IdleJobs = 0
MyAddress = "<192.0.2.1:9872>"
MyType = "Submitter"
Name = "alice@site.example"
RunningJobs = 0
ScheddIpAddr = "<192.0.2.1:9872>"
ScheddName = "s1@site.example"
WeightedIdleJobs = 0
WeightedRunningJobs = 0.0

IdleJobs = 0
MyAddress = "<192.0.2.1:9872>"
MyType = "Submitter"
Name = "bob@site.example"
RunningJobs = 0
ScheddIpAddr = "<192.0.2.1:9872>"
ScheddName = "s1@site.example"
WeightedIdleJobs = 0
WeightedRunningJobs = 0.0

IdleJobs = 4
MyAddress = "<192.0.2.1:9872>"
MyType = "Submitter"
Name = "carol@site.example"
RunningJobs = 0
ScheddIpAddr = "<192.0.2.1:9872>"
ScheddName = "s1@site.example"
WeightedIdleJobs = 4
WeightedRunningJobs = 0.0
