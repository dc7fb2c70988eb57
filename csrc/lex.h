/* Takes the tokens of one text, for parse.c and load.c.
 *
 * The rules are those of grammar/classad.lark and classad/syntax/lexing.py for texts of ASCII
 * characters; whatever is unusual there
 * (a leading zero, a hexadecimal number, two dots, adjacent strings, an octal escape, a NUL) is the
 * token CA_T_UNSURE here, and the text is left to Python, as is every text that does not parse.
 */
#ifndef CA_LEX_H
#define CA_LEX_H

#include <stddef.h>

#include "declared.h"

static inline int is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static inline int is_letter(unsigned char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* The text, where the next token is looked for, and the present token.  Offsets are bytes, which for
 * ASCII are characters too. */
typedef struct {
    const unsigned char *text;
    size_t length;
    size_t at;
    int old;
    int kind;
    size_t start;
    size_t end;
} ca_lexer;

/* Move on to the next token. */
void ca_lex_next(ca_lexer *lexer);

/* Whether the word is the lower-case one given, in any case. */
int ca_same_word(const unsigned char *word, const char *reserved, size_t length);

#endif
