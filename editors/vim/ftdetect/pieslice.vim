" Configurations of HTCondor, ads and expressions.
autocmd BufNewFile,BufRead condor_config,condor_config.*,*/condor/config.d/* setfiletype condor-config
autocmd BufNewFile,BufRead *.ad,*.ads,*.classad setfiletype classad
