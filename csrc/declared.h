/* Made by tests/csrc/declared.py from the declarations in Python. */
#ifndef CA_DECLARED_H
#define CA_DECLARED_H

/* Kinds of nodes: classad/syntax/native.py. */
enum {
    CA_INTEGER, CA_REAL, CA_STRING, CA_ESCAPED_STRING, CA_TRUE, CA_FALSE, CA_UNDEFINED, CA_ERROR,
    CA_REFERENCE, CA_ABSOLUTE, CA_SELECTION, CA_UNARY, CA_BINARY, CA_CONDITIONAL, CA_SUBSCRIPT,
    CA_PARENS, CA_CALL, CA_LIST, CA_ATTRIBUTE, CA_AD
};

/* What a cell is: Tag in classad/loading/columns.py. */
enum {
    CA_NOTHING, CA_INTEGER_CELL, CA_REAL_CELL, CA_BOOLEAN_CELL, CA_STRING_CELL, CA_UNDEFINED_CELL,
    CA_ERROR_CELL, CA_EXPRESSION_CELL, CA_WAITING
};

/* Operators that are applied here: classad/language/operators.py. */
enum {
    CA_ADD, CA_SUBTRACT, CA_MULTIPLY, CA_DIVIDE, CA_REMAINDER, CA_LESS, CA_LESS_EQUAL, CA_GREATER,
    CA_GREATER_EQUAL, CA_EQUAL, CA_NOT_EQUAL, CA_IDENTICAL, CA_NOT_IDENTICAL, CA_OR, CA_AND,
    CA_ELVIS, CA_NEGATE, CA_PLUS, CA_NOT
};

/* Kinds of tokens.  Operators come first, as OPERATORS of classad/syntax/native.py has
 * them; behind those from CA_T_CLOSE_PAREN on a `-` is a subtraction. */
enum {
    CA_T_END, CA_T_OR, CA_T_AND, CA_T_BIT_OR, CA_T_BIT_XOR, CA_T_BIT_AND, CA_T_EQUAL,
    CA_T_NOT_EQUAL, CA_T_META_EQUAL, CA_T_META_NOT_EQUAL, CA_T_LESS, CA_T_LESS_OR_EQUAL,
    CA_T_GREATER, CA_T_GREATER_OR_EQUAL, CA_T_SHIFT_LEFT, CA_T_SHIFT_RIGHT,
    CA_T_SHIFT_RIGHT_LOGICAL, CA_T_PLUS, CA_T_MINUS, CA_T_TIMES, CA_T_DIVIDE, CA_T_MODULUS,
    CA_T_NOT, CA_T_BIT_NOT, CA_T_ELVIS, CA_T_QMARK, CA_T_COLON, CA_T_COMMA, CA_T_SEMICOLON,
    CA_T_BOUND_TO, CA_T_OPEN_PAREN, CA_T_OPEN_BOX, CA_T_OPEN_BRACE, CA_T_UNSURE, CA_T_CLOSE_PAREN,
    CA_T_CLOSE_BOX, CA_T_CLOSE_BRACE, CA_T_DOT, CA_T_NAME, CA_T_QUOTED, CA_T_INTEGER, CA_T_REAL,
    CA_T_STRING, CA_T_ESCAPED_STRING, CA_T_TRUE, CA_T_FALSE, CA_T_UNDEFINED, CA_T_ERROR,
    CA_T_KINDS
};

/* How tightly binary operators bind, and what signs mean, by their first character. */
#define CA_BINDINGS { \
    [CA_T_OR] = 1, [CA_T_AND] = 2, [CA_T_BIT_OR] = 3, [CA_T_BIT_XOR] = 4, [CA_T_BIT_AND] = 5, \
    [CA_T_EQUAL] = 6, [CA_T_NOT_EQUAL] = 6, [CA_T_META_EQUAL] = 6, [CA_T_META_NOT_EQUAL] = 6, \
    [CA_T_LESS] = 7, [CA_T_LESS_OR_EQUAL] = 7, [CA_T_GREATER] = 7, [CA_T_GREATER_OR_EQUAL] = 7, \
    [CA_T_SHIFT_LEFT] = 8, [CA_T_SHIFT_RIGHT] = 8, [CA_T_SHIFT_RIGHT_LOGICAL] = 8, \
    [CA_T_PLUS] = 9, [CA_T_MINUS] = 9, [CA_T_TIMES] = 10, [CA_T_DIVIDE] = 10, [CA_T_MODULUS] = 10 \
}

#define CA_SIGNS { \
    {"", 0}, {"!=", CA_T_NOT_EQUAL}, {"!", CA_T_NOT}, {"%", CA_T_MODULUS}, {"&&", CA_T_AND}, \
    {"&", CA_T_BIT_AND}, {"(", CA_T_OPEN_PAREN}, {")", CA_T_CLOSE_PAREN}, {"*", CA_T_TIMES}, \
    {"+", CA_T_PLUS}, {",", CA_T_COMMA}, {"-", CA_T_MINUS}, {"/", CA_T_DIVIDE}, {":", CA_T_COLON}, \
    {";", CA_T_SEMICOLON}, {"<=", CA_T_LESS_OR_EQUAL}, {"<<", CA_T_SHIFT_LEFT}, {"<", CA_T_LESS}, \
    {"=?=", CA_T_META_EQUAL}, {"=!=", CA_T_META_NOT_EQUAL}, {"==", CA_T_EQUAL}, \
    {"=?", CA_T_UNSURE}, {"=", CA_T_BOUND_TO}, {">>>", CA_T_SHIFT_RIGHT_LOGICAL}, \
    {">=", CA_T_GREATER_OR_EQUAL}, {">>", CA_T_SHIFT_RIGHT}, {">", CA_T_GREATER}, \
    {"?", CA_T_QMARK}, {"[", CA_T_OPEN_BOX}, {"]", CA_T_CLOSE_BOX}, {"^", CA_T_BIT_XOR}, \
    {"{", CA_T_OPEN_BRACE}, {"||", CA_T_OR}, {"|", CA_T_BIT_OR}, {"}", CA_T_CLOSE_BRACE}, \
    {"~", CA_T_BIT_NOT} \
}

#define CA_FIRST_SIGNS { \
    ['~'] = 35, ['}'] = 34, ['|'] = 32, ['{'] = 31, ['^'] = 30, [']'] = 29, ['['] = 28, \
    ['?'] = 27, ['>'] = 23, ['='] = 18, ['<'] = 15, [';'] = 14, [':'] = 13, ['/'] = 12, \
    ['-'] = 11, [','] = 10, ['+'] = 9, ['*'] = 8, [')'] = 7, ['('] = 6, ['&'] = 4, ['%'] = 3, \
    ['!'] = 1 \
}

#endif
