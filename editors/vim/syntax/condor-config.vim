" Vim syntax of HTCondor configuration. Written by `python -m docs.written condor-config.vim`; edit docs/written/colours.py.

if exists('b:current_syntax')
  finish
endif
syn case ignore
syn sync fromstart
syn match condor_operator_ `\v%(\=!\=|\=\?\=|\>\>\>|!\=|\&\&|\<\<|\<\=|\=\=|\>\=|\>\>|\?:|\|\||!|\<|\>)` contained
hi def link condor_operator_ condor_operator
syn match condor_word_ `\v([A-Za-z0-9_.])@<!%(isnt|is)([A-Za-z0-9_.])@!` contained
hi def link condor_word_ condor_operator
syn match condor_function_ `\v([A-Za-z0-9_.])@<!%(stringList_regexpMember|stringListISubsetMatch|stringListSubsetMatch|stringListsIntersect|evalInEachContext|stringListIMember|mergeEnvironment|stringListMember|version_in_range|identicalMember|stringListSize|timezoneOffset|getDayOfMonth|splitSlotName|splitUserName|stringListAvg|stringListMax|stringListMin|stringListSum|countMatches|getDayOfWeek|getDayOfYear|regexpMember|currentTime|isUndefined|allCompare|anyCompare|argsToList|formatTime|getMinutes|getSeconds|ifThenElse|listToArgs|replaceAll|unresolved|versioncmp|envV1ToV2|isAbsTime|isBoolean|isClassAd|isInteger|isRelTime|splitTime|versionEQ|versionGE|versionGT|versionLE|versionLT|getHours|getMonth|interval|isString|quantize|userHome|absTime|ceiling|dayTime|getDays|getYear|isError|regexps|relTime|replace|stricmp|toLower|toUpper|unparse|userMap|isList|isReal|member|random|regexp|strcat|strcmp|string|substr|debug|floor|round|split|bool|ceil|eval|join|real|size|time|avg|int|max|min|pow|sum)([ \t]*\()@=` contained
hi def link condor_function_ condor_function
syn match condor_scope_ `\v([A-Za-z0-9_.])@<!%(target|my)(\.)@=` contained
hi def link condor_scope_ condor_scope
syn match condor_literal_ `\v([A-Za-z0-9_.])@<!%(undefined|error|false|true)([A-Za-z0-9_.])@!` contained
hi def link condor_literal_ condor_literal
syn match condor_number_ `\v([A-Za-z0-9_./])@<!%(\d+\.?\d*|\.\d+)%(e[+-]?\d+)?([A-Za-z0-9_./])@!` contained
hi def link condor_number_ condor_number
syn match condor_reference_ `\v\$\$?[A-Za-z_]*\(%([^()\n]|\([^()\n]*\))*\)` contained
hi def link condor_reference_ condor_reference
syn match condor_escape_ `\v\\.` contained
hi def link condor_escape_ condor_string
syn region condor_string_ start=`\v"` skip=/\\\_./ end=/"/ end=/$/ contained contains=condor_escape_,condor_reference_
hi def link condor_string_ condor_string
syn match condor_template_ `\v[A-Za-z][A-Za-z0-9_]*` contained
hi def link condor_template_ condor_template
syn match condor_option_ `\v([A-Za-z0-9_.])@<!%(ifexists?|command|output|into)([A-Za-z0-9_.])@!` contained
hi def link condor_option_ condor_keyword
syn match condor_asked_ `\v([A-Za-z0-9_.])@<!%(defined|version|use)([A-Za-z0-9_.])@!` contained
hi def link condor_asked_ condor_keyword
syn match condor_assignment_name_ `\v^[ \t]*:?[A-Za-z0-9_./$()-]+([ \t]*%(\+[,;|&*]{0,2}\=|\=|:))@=` nextgroup=condor_assignment_ skipwhite
hi def link condor_assignment_name_ condor_macro
syn region condor_assignment_ matchgroup=condor_assign start=`\v%(\+[,;|&*]{0,2}\=|\=|:)` skip=`\\$` end=/$/ keepend contained contains=condor_comment_,condor_string_,condor_reference_,condor_number_,condor_literal_,condor_scope_,condor_function_,condor_word_,condor_operator_
syn region condor_block_ matchgroup=condor_macro start=`\v^[ \t]*[A-Za-z0-9_./$()-]+[ \t]*\@\=[ \t]*\z([A-Za-z0-9_]+)[ \t]*$` end=`\v^[ \t]*\@\z1[ \t]*$` contains=condor_string_,condor_reference_,condor_number_,condor_literal_,condor_scope_,condor_function_,condor_word_,condor_operator_
syn region condor_statement_ matchgroup=condor_keyword start=`\v^[ \t]*\@?%(include|warning|error)([A-Za-z0-9_])@!([^=\n]*:)@=` skip=`\\$` end=/$/ keepend contains=condor_option_,condor_reference_
syn region condor_use_ matchgroup=condor_keyword start=`\v^[ \t]*\@?use([A-Za-z0-9_])@!([^=\n]*:)@=` skip=`\\$` end=/$/ keepend contains=condor_reference_,condor_template_
syn region condor_condition_ matchgroup=condor_keyword start=`\v^[ \t]*:?%(if|elif|else|endif)([A-Za-z0-9_])@!` skip=`\\$` end=/$/ keepend contains=condor_asked_,condor_string_,condor_reference_,condor_number_,condor_literal_,condor_scope_,condor_function_,condor_word_,condor_operator_
syn match condor_comment_ `\v^[ \t]*#.*$`
hi def link condor_comment_ condor_comment

hi def link condor_comment Comment
hi def link condor_keyword Statement
hi def link condor_macro Identifier
hi def link condor_assign Operator
hi def link condor_template Type
hi def link condor_string String
hi def link condor_reference PreProc
hi def link condor_number Number
hi def link condor_literal Constant
hi def link condor_scope Special
hi def link condor_function Function
hi def link condor_operator Operator
let b:current_syntax = 'condor-config'
