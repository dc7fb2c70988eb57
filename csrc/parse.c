/* Parses the expressions and ads of grammar/classad.lark.
 *
 * The shape of the grammar stands here a second time; the tests compare the two on every pair of
 * operators.  Nothing is reported: a text that is not clearly in the language is left to Python, which finds the words.
 * A tree is its nodes with every operand before its operator, so it is built by one pass with a stack
 * and no text, however long, makes anything recurse that the depth limit does not bound.
 */
#include "kernels.h"
#include "lex.h"

#include <limits.h>
#include <string.h>

/* How deep this parser goes, in the units of classad/syntax/lexing.py; well below the 500 of the language,
 * so that the exact limit is Python's matter and the C stack stays small. */
enum { DEEP = 200, BRACKET = 3 };

/* How tightly a binary operator binds; 0 for a token that is none. */
static const unsigned char BINDING[CA_T_KINDS] = CA_BINDINGS;

typedef struct {
    ca_lexer lexer;
    size_t origin; /* where the text begins in the one that the nodes speak of */
    ca_node *nodes;
    size_t count;
    size_t capacity;
    int strict;
    int full; /* there was no room for a node */
} parser;

/* All of these return 1 when they have appended the tree of what they are named after. */
static int expression(parser *p, int depth);
static int ad(parser *p, int depth, int alone);

/* What a node spans in the text, and where its name is, or the text that it holds. */
typedef struct {
    size_t start, end, begin, stop;
} range;

static range from_to(size_t start, size_t end)
{
    return (range){start, end, start, start};
}

static int emit(parser *p, int kind, int op, int count, range of)
{
    if (p->count >= p->capacity) {
        p->full = 1;
        return 0;
    }
    p->nodes[p->count++] = (ca_node){.kind = kind,
                                     .op = op,
                                     .count = count,
                                     .start = (int32_t)(of.start + p->origin),
                                     .end = (int32_t)(of.end + p->origin),
                                     .begin = (int32_t)(of.begin + p->origin),
                                     .stop = (int32_t)(of.stop + p->origin)};
    return 1;
}

/* Where the tree that was appended last begins and ends in the text. */
static size_t last_start(const parser *p)
{
    return (size_t)p->nodes[p->count - 1].start - p->origin;
}

static size_t last_end(const parser *p)
{
    return (size_t)p->nodes[p->count - 1].end - p->origin;
}

/* Where the token at hand is, and the text in its quotes if it has any; on to the next one. */
static range token(parser *p)
{
    const ca_lexer at = p->lexer;
    const size_t quote = at.kind == CA_T_QUOTED || at.kind == CA_T_STRING ||
                         at.kind == CA_T_ESCAPED_STRING;
    ca_lex_next(&p->lexer);
    return (range){at.start, at.end, at.start + quote, at.end - quote};
}

static int take(parser *p, int kind)
{
    if (p->lexer.kind != kind)
        return 0;
    ca_lex_next(&p->lexer);
    return 1;
}

static int at_name(const parser *p)
{
    return p->lexer.kind == CA_T_NAME || p->lexer.kind == CA_T_QUOTED;
}

/* Expressions up to a closing token; `;` may separate them if `lenient`. */
static int items(parser *p, int depth, int close, int lenient, int *count)
{
    *count = 0;
    if (p->lexer.kind == close)
        return 1;
    for (;;) {
        if (!expression(p, depth) || *count == INT_MAX)
            return 0;
        ++*count;
        if (p->lexer.kind == CA_T_COMMA || (lenient && p->lexer.kind == CA_T_SEMICOLON))
            ca_lex_next(&p->lexer);
        else
            return p->lexer.kind == close;
    }
}

static int is_time(const parser *p, range name)
{
    const unsigned char *word = p->lexer.text + name.begin;
    return name.stop - name.begin == 7 &&
           (ca_same_word(word, "abstime", 7) || ca_same_word(word, "reltime", 7));
}

/* A name, or the call of one. */
static int name_or_call(parser *p, int depth)
{
    range name = token(p);
    int count;
    if (!take(p, CA_T_OPEN_PAREN))
        return emit(p, CA_REFERENCE, 0, 0, name);
    size_t first = p->count;
    if (!items(p, depth + BRACKET, CA_T_CLOSE_PAREN, !p->strict, &count))
        return 0;
    /* absTime("...") and relTime("...") are literals, which Python reads. */
    if (count == 1 && p->count == first + 1 && is_time(p, name) &&
        (p->nodes[first].kind == CA_STRING || p->nodes[first].kind == CA_ESCAPED_STRING))
        return 0;
    name.end = token(p).end;
    return emit(p, CA_CALL, 0, count, name);
}

/* The name behind a dot, of a node that begins at `start`. */
static int dotted(parser *p, int kind, size_t start)
{
    if (!at_name(p))
        return 0;
    range name = token(p);
    name.start = start;
    return emit(p, kind, 0, 0, name);
}

static int parens(parser *p, int depth)
{
    const size_t start = token(p).start;
    return expression(p, depth + BRACKET) && p->lexer.kind == CA_T_CLOSE_PAREN &&
           emit(p, CA_PARENS, 0, 1, from_to(start, token(p).end));
}

static int list(parser *p, int depth)
{
    const size_t start = token(p).start;
    int count;
    return items(p, depth + BRACKET, CA_T_CLOSE_BRACE, 0, &count) &&
           emit(p, CA_LIST, 0, count, from_to(start, token(p).end));
}

static int primary(parser *p, int depth)
{
    switch (p->lexer.kind) {
    case CA_T_NAME:
    case CA_T_QUOTED: return name_or_call(p, depth);
    case CA_T_DOT: return dotted(p, CA_ABSOLUTE, token(p).start);
    case CA_T_OPEN_PAREN: return parens(p, depth);
    case CA_T_OPEN_BRACE: return list(p, depth);
    case CA_T_OPEN_BOX: return ad(p, depth, 0);
    }
    /* Tokens of literals are in the order of their nodes. */
    const int kind = p->lexer.kind - CA_T_INTEGER + CA_INTEGER;
    return kind >= CA_INTEGER && kind <= CA_ERROR && emit(p, kind, 0, 0, token(p));
}

/* a.name and a[index] */
static int selected(parser *p, int depth)
{
    if (!primary(p, depth))
        return 0;
    for (;;) {
        const size_t start = last_start(p);
        if (take(p, CA_T_DOT)) {
            if (!dotted(p, CA_SELECTION, start))
                return 0;
        } else if (take(p, CA_T_OPEN_BOX)) {
            if (!expression(p, depth + BRACKET) || p->lexer.kind != CA_T_CLOSE_BOX ||
                !emit(p, CA_SUBSCRIPT, 0, 2, from_to(start, token(p).end)))
                return 0;
        } else {
            return 1;
        }
    }
}

/* a ?: b, which nests to the right and whose right side may not start with an operator */
static int elvis(parser *p, int depth)
{
    if (!selected(p, depth))
        return 0;
    const size_t start = last_start(p);
    if (!take(p, CA_T_ELVIS))
        return 1;
    return depth < DEEP && elvis(p, depth + 1) &&
           emit(p, CA_BINARY, CA_T_ELVIS, 0, from_to(start, last_end(p)));
}

static int unary(parser *p, int depth)
{
    int op = p->lexer.kind;
    if (op != CA_T_MINUS && op != CA_T_PLUS && op != CA_T_NOT && op != CA_T_BIT_NOT)
        return elvis(p, depth);
    const size_t start = token(p).start;
    return depth < DEEP && unary(p, depth + 1) &&
           emit(p, CA_UNARY, op, 0, from_to(start, last_end(p)));
}

/* Operators that bind at least as tightly as `least`; equal ones group to the left. */
static int binary(parser *p, int least, int depth)
{
    if (!unary(p, depth))
        return 0;
    for (;;) {
        int op = p->lexer.kind, binding = BINDING[op];
        if (binding == 0 || binding < least)
            return 1;
        const size_t start = last_start(p);
        ca_lex_next(&p->lexer);
        if (!binary(p, binding + 1, depth) ||
            !emit(p, CA_BINARY, op, 0, from_to(start, last_end(p))))
            return 0;
    }
}

static int expression(parser *p, int depth)
{
    if (depth >= DEEP || !binary(p, 1, depth))
        return 0;
    const size_t start = last_start(p);
    if (!take(p, CA_T_QMARK))
        return 1;
    return expression(p, depth + 1) && take(p, CA_T_COLON) && expression(p, depth + 1) &&
           emit(p, CA_CONDITIONAL, 0, 3, from_to(start, last_end(p)));
}

static int attribute(parser *p, int depth)
{
    if (!at_name(p))
        return 0;
    range name = token(p);
    if (!take(p, CA_T_BOUND_TO) || !expression(p, depth))
        return 0;
    name.end = last_end(p);
    return emit(p, CA_ATTRIBUTE, 0, 0, name);
}

/* `alone`: nothing behind the closing bracket is looked at. */
static int ad(parser *p, int depth, int alone)
{
    size_t start = p->lexer.start;
    int count = 0, separators = 0;
    ca_lex_next(&p->lexer);
    for (;;) {
        while (take(p, CA_T_SEMICOLON))
            separators = 1;
        if (p->lexer.kind == CA_T_CLOSE_BOX)
            break;
        if ((count > 0 && !separators) || count == INT_MAX || !attribute(p, depth + BRACKET))
            return 0;
        count++;
        separators = 0;
    }
    if (count == 0 && separators)
        return 0;
    size_t end = p->lexer.end;
    if (!alone)
        ca_lex_next(&p->lexer);
    return emit(p, CA_AD, 0, count, from_to(start, end));
}

int32_t ca_parse(size_t length, const char *text, size_t origin, int how, size_t capacity,
                 ca_node *nodes)
{
    if (text == NULL || nodes == NULL)
        return CA_BAD_ARGUMENT;
    if (length > INT32_MAX || origin > INT32_MAX - length || capacity > INT32_MAX)
        return CA_UNSURE;
    parser p = {
        .lexer = {.text = (const unsigned char *)text,
                  .length = length,
                  .old = (how & CA_OLD) != 0,
                  .kind = CA_T_END},
        .origin = origin,
        .nodes = nodes,
        .capacity = capacity,
        .strict = (how & CA_STRICT) != 0,
    };
    ca_lex_next(&p.lexer);
    int parsed = how & CA_ONE_AD ? p.lexer.kind == CA_T_OPEN_BOX && ad(&p, 0, 1)
                                 : expression(&p, BRACKET) && p.lexer.kind != CA_T_UNSURE;
    if (!parsed)
        return p.full ? CA_FULL : CA_UNSURE;
    if (how & CA_ONE_AD)
        return (int32_t)p.count;
    /* Text behind a conditional that is the whole expression is ignored, but not a NUL in it. */
    int tail = how & CA_PREFIX || (!(how & CA_WHOLE) && nodes[p.count - 1].kind == CA_CONDITIONAL);
    if (p.lexer.kind != CA_T_END && (!tail || memchr(text + p.lexer.at, 0, length - p.lexer.at)))
        return CA_UNSURE;
    return (int32_t)p.count;
}
