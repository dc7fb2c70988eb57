/* The scanner: see lex.h. */
#include "lex.h"

#include <string.h>

/* The character at an offset; 0, which no token contains, behind the end. */
static unsigned char look(const ca_lexer *lexer, size_t at)
{
    return at < lexer->length ? lexer->text[at] : 0;
}

static size_t skip_blanks(const ca_lexer *lexer, size_t at)
{
    while (at < lexer->length && is_blank(lexer->text[at]))
        at++;
    return at;
}

static size_t skip_digits(const ca_lexer *lexer, size_t at)
{
    while (is_digit(look(lexer, at)))
        at++;
    return at;
}

static void end_token(ca_lexer *lexer, int kind, size_t end)
{
    lexer->kind = kind;
    lexer->end = end;
    lexer->at = end;
}

/* Skip blanks and comments; 0 if a comment is never closed. */
static int skip_nothing(ca_lexer *lexer)
{
    size_t at = lexer->at;
    for (;;) {
        at = skip_blanks(lexer, at);
        if (look(lexer, at) != '/')
            break;
        if (look(lexer, at + 1) == '/') {
            while (at < lexer->length && lexer->text[at] != '\n') {
                if (lexer->text[at] == 0)
                    return 0;
                at++;
            }
        } else if (look(lexer, at + 1) == '*') {
            at += 2;
            while (look(lexer, at) != '*' || look(lexer, at + 1) != '/') {
                if (look(lexer, at) == 0)
                    return 0;
                at++;
            }
            at += 2;
        } else {
            break;
        }
    }
    lexer->at = at;
    return 1;
}

int ca_same_word(const unsigned char *word, const char *reserved, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((word[i] | 0x20) != (unsigned char)reserved[i])
            return 0;
    return 1;
}

static int word_kind(const unsigned char *word, size_t length)
{
    switch (length) {
    case 2: return ca_same_word(word, "is", 2) ? CA_T_META_EQUAL : CA_T_NAME;
    case 4:
        if (ca_same_word(word, "true", 4))
            return CA_T_TRUE;
        return ca_same_word(word, "isnt", 4) ? CA_T_META_NOT_EQUAL : CA_T_NAME;
    case 5:
        if (ca_same_word(word, "false", 5))
            return CA_T_FALSE;
        return ca_same_word(word, "error", 5) ? CA_T_ERROR : CA_T_NAME;
    case 9: return ca_same_word(word, "undefined", 9) ? CA_T_UNDEFINED : CA_T_NAME;
    default: return CA_T_NAME;
    }
}

static void lex_word(ca_lexer *lexer)
{
    size_t at = lexer->start;
    while (is_letter(look(lexer, at)) || is_digit(look(lexer, at)))
        at++;
    end_token(lexer, word_kind(lexer->text + lexer->start, at - lexer->start), at);
}

/* A number whose first digit or point is at `at`; its sign, if it has one, is before that. */
static void lex_number(ca_lexer *lexer, size_t at)
{
    size_t whole = at;
    int kind = CA_T_INTEGER;
    at = skip_digits(lexer, at);
    if (look(lexer, at) == '.') {
        size_t point = at;
        kind = CA_T_REAL;
        at = skip_digits(lexer, at + 1);
        if (at == point + 1)
            kind = CA_T_UNSURE;
    }
    if ((look(lexer, at) | 0x20) == 'e') {
        size_t digits = at + 1;
        if (look(lexer, digits) == '+' || look(lexer, digits) == '-')
            digits++;
        at = skip_digits(lexer, digits);
        if (at == digits)
            kind = CA_T_UNSURE;
        else if (kind == CA_T_INTEGER)
            kind = CA_T_REAL;
    }
    unsigned char after = look(lexer, at);
    if (after == '.' || (after | 0x20) == 'e' || (after | 0x20) == 'x')
        kind = CA_T_UNSURE;
    if (kind == CA_T_INTEGER && lexer->text[whole] == '0' && at - whole > 1)
        kind = CA_T_UNSURE;
    end_token(lexer, kind, at);
}

/* Behind a backslash in a string: what it escapes in new syntax, 0 if that is for Python to say; in old
 * syntax it means itself unless a quote follows that ends no line. */
static size_t skip_escaped(const ca_lexer *lexer, size_t at, unsigned char quote)
{
    unsigned char next = look(lexer, at);
    if (!lexer->old)
        return next == 0 || is_digit(next) ? 0 : at + 1;
    return next == quote && at + 1 < lexer->length && look(lexer, at + 1) != '\n' ? at + 1 : at;
}

/* A string or quoted name, its quote at the start of the token. */
static void lex_quoted(ca_lexer *lexer, unsigned char quote)
{
    size_t at = lexer->start + 1;
    int escaped = 0, sure = 1;
    while (sure && look(lexer, at) != quote) {
        unsigned char c = look(lexer, at);
        if (c == '\\') {
            size_t behind = skip_escaped(lexer, at + 1, quote);
            escaped = 1;
            sure = behind > 0;
            at = sure ? behind : at;
        } else {
            sure = c != 0;
            at += (size_t)sure;
        }
    }
    /* Adjacent strings are one in new syntax; a name is neither empty nor escaped. */
    if (!lexer->old && look(lexer, skip_blanks(lexer, at + 1)) == quote)
        sure = 0;
    if (quote == '\'' && (escaped || at == lexer->start + 1))
        sure = 0;
    int kind = quote == '\'' ? CA_T_QUOTED : escaped ? CA_T_ESCAPED_STRING : CA_T_STRING;
    end_token(lexer, sure ? kind : CA_T_UNSURE, at + 1);
}

static const struct {
    char text[4];
    unsigned char kind;
} SIGNS[] = CA_SIGNS;
static const unsigned char FIRST_SIGN[128] = CA_FIRST_SIGNS;
enum { SIGN_COUNT = sizeof SIGNS / sizeof *SIGNS };

/* Of signs that begin alike the longest one is meant.  What `? :` is depends on the version. */
static void lex_operator(ca_lexer *lexer, unsigned char c)
{
    size_t sign = c < 128 ? FIRST_SIGN[c] : 0;
    for (; sign > 0 && sign < SIGN_COUNT && SIGNS[sign].text[0] == (char)c; sign++) {
        size_t length = 1;
        while (SIGNS[sign].text[length] != 0 &&
               look(lexer, lexer->start + length) == (unsigned char)SIGNS[sign].text[length])
            length++;
        if (SIGNS[sign].text[length] != 0)
            continue;
        const size_t end = lexer->start + length, colon = skip_blanks(lexer, end);
        if (c == '?' && look(lexer, colon) == ':')
            end_token(lexer, colon == end ? CA_T_ELVIS : CA_T_UNSURE, colon + 1);
        else
            end_token(lexer, SIGNS[sign].kind, end);
        return;
    }
    end_token(lexer, CA_T_UNSURE, lexer->start + 1);
}

/* A `-` before a number is its sign unless an operand precedes it. */
static void lex_minus(ca_lexer *lexer, int previous)
{
    size_t at = lexer->start + 1;
    unsigned char next = look(lexer, at);
    int number = is_digit(next) || (next == '.' && is_digit(look(lexer, at + 1)));
    if (previous < CA_T_CLOSE_PAREN && number)
        lex_number(lexer, at);
    else
        end_token(lexer, CA_T_MINUS, at);
}

static void lex_dot(ca_lexer *lexer)
{
    unsigned char next = look(lexer, lexer->start + 1);
    if (is_digit(next))
        lex_number(lexer, lexer->start);
    else
        end_token(lexer, next == '.' ? CA_T_UNSURE : CA_T_DOT, lexer->start + 1);
}

static void lex_sign(ca_lexer *lexer, unsigned char c, int previous)
{
    switch (c) {
    case '"':
    case '\'': lex_quoted(lexer, c); break;
    case '-': lex_minus(lexer, previous); break;
    case '.': lex_dot(lexer); break;
    default: lex_operator(lexer, c); break;
    }
}

void ca_lex_next(ca_lexer *lexer)
{
    int previous = lexer->kind;
    int closed = skip_nothing(lexer);
    lexer->start = lexer->at;
    if (!closed) {
        end_token(lexer, CA_T_UNSURE, lexer->length);
        return;
    }
    if (lexer->at >= lexer->length) {
        end_token(lexer, CA_T_END, lexer->length);
        return;
    }
    unsigned char c = lexer->text[lexer->at];
    if (is_letter(c))
        lex_word(lexer);
    else if (is_digit(c))
        lex_number(lexer, lexer->start);
    else
        lex_sign(lexer, c, previous);
}
