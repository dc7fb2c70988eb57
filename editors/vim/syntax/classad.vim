" Vim syntax of ClassAd. Written by `python -m docs.written classad.vim`; edit docs/written/colours.py.

if exists('b:current_syntax')
  finish
endif
syn case ignore
syn sync fromstart
syn match classad_operator_ `\v%(\=!\=|\=\?\=|\>\>\>|!\=|\&\&|\<\<|\<\=|\=\=|\>\=|\>\>|\?:|\|\||!|\<|\>)`
hi def link classad_operator_ classad_operator
syn match classad_word_ `\v([A-Za-z0-9_.])@<!%(isnt|is)([A-Za-z0-9_.])@!`
hi def link classad_word_ classad_operator
syn match classad_function_ `\v([A-Za-z0-9_.])@<!%(stringList_regexpMember|stringListISubsetMatch|stringListSubsetMatch|stringListsIntersect|evalInEachContext|stringListIMember|mergeEnvironment|stringListMember|version_in_range|identicalMember|stringListSize|timezoneOffset|getDayOfMonth|splitSlotName|splitUserName|stringListAvg|stringListMax|stringListMin|stringListSum|countMatches|getDayOfWeek|getDayOfYear|regexpMember|currentTime|isUndefined|allCompare|anyCompare|argsToList|formatTime|getMinutes|getSeconds|ifThenElse|listToArgs|replaceAll|unresolved|versioncmp|envV1ToV2|isAbsTime|isBoolean|isClassAd|isInteger|isRelTime|splitTime|versionEQ|versionGE|versionGT|versionLE|versionLT|getHours|getMonth|interval|isString|quantize|userHome|absTime|ceiling|dayTime|getDays|getYear|isError|regexps|relTime|replace|stricmp|toLower|toUpper|unparse|userMap|isList|isReal|member|random|regexp|strcat|strcmp|string|substr|debug|floor|round|split|bool|ceil|eval|join|real|size|time|avg|int|max|min|pow|sum)([ \t]*\()@=`
hi def link classad_function_ classad_function
syn match classad_scope_ `\v([A-Za-z0-9_.])@<!%(target|my)(\.)@=`
hi def link classad_scope_ classad_scope
syn match classad_literal_ `\v([A-Za-z0-9_.])@<!%(undefined|error|false|true)([A-Za-z0-9_.])@!`
hi def link classad_literal_ classad_literal
syn match classad_number_ `\v([A-Za-z0-9_./])@<!%(\d+\.?\d*|\.\d+)%(e[+-]?\d+)?([A-Za-z0-9_./])@!`
hi def link classad_number_ classad_number
syn match classad_reference_ `\v\$\$?[A-Za-z_]*\(%([^()\n]|\([^()\n]*\))*\)`
hi def link classad_reference_ classad_reference
syn match classad_escape_ `\v\\.` contained
hi def link classad_escape_ classad_string
syn region classad_string_ start=`\v"` skip=/\\\_./ end=/"/ end=/$/ contains=classad_escape_,classad_reference_
hi def link classad_string_ classad_string
syn match classad_name_ `\v^[ \t]*[A-Za-z_][A-Za-z0-9_]*([ \t]*\=([=?!])@!)@=`
hi def link classad_name_ classad_macro
syn match classad_comment_ `\v^[ \t]*%(#|//).*$`
hi def link classad_comment_ classad_comment

hi def link classad_comment Comment
hi def link classad_macro Identifier
hi def link classad_string String
hi def link classad_reference PreProc
hi def link classad_number Number
hi def link classad_literal Constant
hi def link classad_scope Special
hi def link classad_function Function
hi def link classad_operator Operator
let b:current_syntax = 'classad'
