/* Tokens of one text, for parse.c.
 *
 * What lives here: the kinds of tokens and the state of the scanner.  The rules are those of
 * grammar/classad.lark and classad/syntax/lexing.py for texts of ASCII characters; whatever is unusual there
 * (a leading zero, a hexadecimal number, two dots, adjacent strings, an octal escape, a NUL) is the
 * token CA_T_UNSURE here, and the text is left to Python, as is every text that does not parse.
 */
#ifndef CA_LEX_H
#define CA_LEX_H

#include <stddef.h>

/* The operators come first, in the order of the OPERATORS of classad/syntax/native.py: a node names its
 * operator by this number. */
enum {
    CA_T_END = 0,
    CA_T_OR,
    CA_T_AND,
    CA_T_BIT_OR,
    CA_T_BIT_XOR,
    CA_T_BIT_AND,
    CA_T_EQUAL,
    CA_T_NOT_EQUAL,
    CA_T_META_EQUAL,
    CA_T_META_NOT_EQUAL,
    CA_T_LESS,
    CA_T_LESS_OR_EQUAL,
    CA_T_GREATER,
    CA_T_GREATER_OR_EQUAL,
    CA_T_SHIFT_LEFT,
    CA_T_SHIFT_RIGHT,
    CA_T_SHIFT_RIGHT_LOGICAL,
    CA_T_PLUS,
    CA_T_MINUS,
    CA_T_TIMES,
    CA_T_DIVIDE,
    CA_T_MODULUS,
    CA_T_NOT,
    CA_T_BIT_NOT,
    CA_T_ELVIS,
    CA_T_QMARK,
    CA_T_COLON,
    CA_T_COMMA,
    CA_T_SEMICOLON,
    CA_T_BOUND_TO,
    CA_T_OPEN_PAREN,
    CA_T_OPEN_BOX,
    CA_T_OPEN_BRACE,
    CA_T_UNSURE,
    /* From here on a `-` that follows is a subtraction. */
    CA_T_CLOSE_PAREN,
    CA_T_CLOSE_BOX,
    CA_T_CLOSE_BRACE,
    CA_T_DOT,
    CA_T_NAME,
    CA_T_QUOTED,
    CA_T_INTEGER,
    CA_T_REAL,
    CA_T_STRING,
    CA_T_ESCAPED, /* a string with a backslash in it */
    CA_T_TRUE,
    CA_T_FALSE,
    CA_T_UNDEFINED,
    CA_T_ERROR,
    CA_T_KINDS
};

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

#endif
