/* Fuzzes the C parser and the C loader guided by coverage, with no more than a C compiler.
 *
 * There are two targets (`parse`, `load`), what must hold of their results, and a loop that keeps the
 * inputs which reach something new.  The kernels are built with -fsanitize-coverage=trace-pc
 * and the address and undefined behaviour sanitizers; fuzz/nativefuzz.py builds and runs this.
 * Usage: harness TARGET SEED RUNS CURRENT FILE...   RUNS 0: the files once and nothing else.
 * CURRENT: a file that always holds the input under way, so that a crash leaves it behind.
 * The targets `parsers` and `loaders` of fuzz/ compare the results with Python.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../csrc/kernels.h"

enum { MOST = 600, KEPT = 20000, EDGES = 1 << 16, PATIENCE = 30 };

typedef struct {
    unsigned char *bytes;
    size_t length;
} input;

static unsigned char hits[EDGES], seen[EDGES];
static uintptr_t before;
static input corpus[KEPT];
static size_t kept, edges;
static uint64_t chance;

#define DEMAND(what)                                                                               \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #what);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Called at every edge of the kernels. */
void __sanitizer_cov_trace_pc(void)
{
    uintptr_t here = (uintptr_t)__builtin_return_address(0);
    size_t edge = (here ^ (here >> 15) ^ before) % EDGES;
    before = (here * 31) >> 1;
    if (hits[edge] < 255)
        hits[edge]++;
}

static size_t below(size_t count)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (size_t)((chance >> 11) % count);
}

/* ---- the targets ------------------------------------------------------------------------------- */

/* How many operands a node takes. */
static int32_t operands(const ca_node *node)
{
    switch (node->kind) {
    case CA_SELECTION:
    case CA_UNARY:
    case CA_PARENS:
    case CA_ATTRIBUTE:
        return 1;
    case CA_BINARY:
    case CA_SUBSCRIPT:
        return 2;
    case CA_CONDITIONAL:
        return 3;
    case CA_CALL:
    case CA_LIST:
    case CA_AD:
        return node->count;
    default:
        return 0;
    }
}

/* The first byte says how; the rest, as ASCII, is the text, in a buffer of just its size. */
static void target_parse(const unsigned char *bytes, size_t size)
{
    if (size == 0)
        return;
    size_t length = size - 1, origin = bytes[0] & 16 ? 1000 : 0;
    size_t capacity = bytes[0] & 32 ? below(4) : length + 1;
    char *text = malloc(length + (length == 0));
    ca_node *nodes = malloc((capacity + (capacity == 0)) * sizeof *nodes);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(bytes[i + 1] & 0x7f);
    int32_t count = ca_parse(length, text, origin, bytes[0] & 15, capacity, nodes);
    DEMAND(count > 0 || count == CA_UNSURE || count == CA_FULL || count == CA_BAD_ARGUMENT);
    DEMAND(count <= (int32_t)length && count <= (int32_t)capacity);
    DEMAND(count != CA_FULL || capacity < length);
    int32_t depth = 0, low = (int32_t)origin, high = (int32_t)(origin + length);
    for (int32_t i = 0; i < count; i++) {
        const ca_node *node = &nodes[i];
        DEMAND(node->kind >= CA_INTEGER && node->kind <= CA_AD);
        DEMAND(low <= node->start && node->start <= node->end && node->end <= high);
        if (node->kind <= CA_STRING || node->kind == CA_REFERENCE)
            DEMAND(node->start <= node->begin && node->begin <= node->stop && node->stop <= node->end);
        DEMAND(operands(node) >= 0 && operands(node) <= depth);
        depth += 1 - operands(node);
    }
    DEMAND(count <= 0 || depth == 1);
    free(nodes);
    free(text);
}

/* Read what a load holds, all of it. */
static void walk(ca_load *load)
{
    uint64_t sum = 0;
    const ca_pool *held[] = {&load->names, &load->shapes, &load->reals, &load->strings};
    for (int which = 0; which < 4; which++) {
        const ca_pool *pool = held[which];
        for (size_t i = 0; i < pool->count; i++) {
            DEMAND(pool->texts[i].offset + pool->texts[i].length <= pool->used);
            for (uint64_t at = 0; at < pool->texts[i].length; at++)
                sum += (unsigned char)pool->bytes[pool->texts[i].offset + at];
        }
    }
    double *values = calloc(load->reals.count + 1, sizeof *values);
    DEMAND(ca_load_finish(load, values, load->reals.count) == CA_OK);
    free(values);
    for (size_t i = 0; i < load->column_count; i++) {
        const ca_column *column = &load->columns[i];
        size_t present = 0;
        for (size_t cell = 0; cell < column->count; cell++) {
            const int tag = column->tags[cell];
            DEMAND(tag < CA_WAITING);
            present += tag != CA_NOTHING;
            sum += (uint64_t)column->payload[cell];
            if (column->rows != NULL)
                DEMAND(column->rows[cell] >= 0 && (size_t)column->rows[cell] < load->rows);
            if (tag == CA_STRING_CELL || tag == CA_EXPRESSION_CELL)
                DEMAND((uint64_t)column->payload[cell] < load->strings.count);
        }
        DEMAND(present == column->present && column->count <= load->rows);
        DEMAND(column->rows != NULL || column->count == load->rows);
    }
    for (size_t row = 0; row < load->rows; row++)
        sum += (uint64_t)load->row_shapes[row];
    if (sum == 42)
        putchar(0); /* so that nothing is left out */
}

/* Feed one buffer, doing for unusual lines what Python does: put something in and go on. */
static size_t feed(ca_load *load, const unsigned char *bytes, size_t length, int whole, int64_t *line)
{
    char *text = malloc(length + (length == 0));
    memcpy(text, bytes, length);
    ca_place place = {.line = *line};
    int found;
    while ((found = ca_load_feed(load, length, text, whole, &place)) == CA_LOOK) {
        DEMAND(place.start <= place.position && place.position < place.block && place.block <= length);
        size_t size = place.block - place.position;
        int tag = size % 3 ? CA_EXPRESSION_CELL : CA_STRING_CELL;
        DEMAND(ca_load_put(load, 3, size % 2 ? "Odd" : "oDD", tag, 0, size, text + place.position) == CA_OK);
        DEMAND(ca_load_put(load, 1, "n", CA_INTEGER_CELL, (int64_t)size, 0, "") == CA_OK);
        place.dropping = size % 5 == 0;
        place.position = place.block;
        place.line++;
    }
    DEMAND(found == CA_DONE && place.start <= place.position && place.position <= length);
    DEMAND(place.line >= *line && (!whole || place.position == length));
    *line = place.line;
    free(text);
    return place.position;
}

/* The first two bytes say where the text, which is the rest, is cut. */
static void target_load(const unsigned char *bytes, size_t size)
{
    if (size < 2)
        return;
    size_t length = size - 2, cut = (size_t)(bytes[0] << 8 | bytes[1]) % (length + 1);
    int64_t line = 1;
    ca_load *load = ca_load_new();
    DEMAND(load != NULL);
    size_t done = feed(load, bytes + 2, cut, 0, &line);
    feed(load, bytes + 2 + done, length - done, 1, &line);
    walk(load);
    ca_load_free(load);
}

/* ---- the loop ---------------------------------------------------------------------------------- */

static const char *const WORDS[] = {
    "=?=", "=!=", " is ", "isnt", "&&", "||", "?:", "?", ":", ">>>", "<<", "..", ".a", "(", ")", "[",
    "]", "{", "}", "//", "/*", "*/", "\"", "\\\"", "'", "\\", "\n", "\n\n", "\r\n", " = ", "true",
    "undefined", "error", "FALSE", "1e400", "-0.0", "0x1f", "010", "9223372036854775808", "1.5E-3",
    "TARGET.", "MY.", "f(", ", ", ";", "#", "a = ", "A = \"\"\n", "\0", "\x80", "\t", "-", "+", "!",
};

static size_t replace(unsigned char *to, size_t length, size_t at, size_t cut, const void *with,
                      size_t size)
{
    if (at + cut > length)
        cut = length - at;
    if (length - cut + size > MOST)
        return length;
    memmove(to + at + size, to + at + cut, length - at - cut);
    memmove(to + at, with, size);
    return length - cut + size;
}

static size_t mutate(unsigned char *to, size_t length)
{
    unsigned char piece[MOST];
    for (size_t times = 1 + below(6); times > 0; times--) {
        size_t at = below(length + 1), cut = below(4), size = 1 + below(16);
        const char *word = WORDS[below(sizeof WORDS / sizeof *WORDS)];
        const input *other = &corpus[below(kept)];
        switch (below(6)) {
        case 0:
            if (at < length)
                to[at] ^= (unsigned char)(1 << below(8));
            break;
        case 1:
            piece[0] = (unsigned char)below(256);
            length = replace(to, length, at, cut % 2, piece, 1);
            break;
        case 2:
            length = replace(to, length, at, cut, word, strlen(word) + (*word == 0));
            break;
        case 3:
            length = replace(to, length, at, size, "", 0);
            break;
        case 4: /* a part of another input */
            if (other->length > 0) {
                size_t from = below(other->length);
                if (size > other->length - from)
                    size = other->length - from;
                length = replace(to, length, at, cut, other->bytes + from, size);
            }
            break;
        default: /* a part of this one again, perhaps many times */
            if (at + size <= length) {
                memcpy(piece, to + at, size);
                for (size_t copies = 1 + below(20); copies > 0; copies--)
                    length = replace(to, length, at, 0, piece, size);
            }
        }
    }
    return length;
}

/* Whether the last run took a way, or took one so often, as none before. */
static int is_new(void)
{
    int found = 0;
    for (size_t i = 0; i < EDGES; i++) {
        if (hits[i] == 0)
            continue;
        unsigned n = hits[i], level = n < 4 ? n - 1 : n < 8 ? 3 : n < 16 ? 4 : n < 32 ? 5 : n < 128 ? 6 : 7;
        if (!(seen[i] >> level & 1)) {
            edges += seen[i] == 0;
            seen[i] |= (unsigned char)(1 << level);
            found = 1;
        }
    }
    return found;
}

static void keep(const unsigned char *bytes, size_t length)
{
    if (kept == KEPT)
        return;
    unsigned char *copy = malloc(length + (length == 0));
    memcpy(copy, bytes, length);
    corpus[kept++] = (input){copy, length};
}

static size_t read_file(const char *path, unsigned char *to)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    size_t length = fread(to, 1, MOST, file);
    fclose(file);
    return length;
}

int main(int count, char **words)
{
    if (count < 6)
        return fprintf(stderr, "usage: harness parse|load SEED RUNS CURRENT FILE...\n"), 2;
    void (*target)(const unsigned char *, size_t) =
        strcmp(words[1], "parse") == 0 ? target_parse : target_load;
    chance = strtoull(words[2], NULL, 10) * 2654435761u + 88172645463325252u;
    uint64_t runs = strtoull(words[3], NULL, 10), first = (uint64_t)count - 5;
    int current = open(words[4], O_RDWR | O_CREAT, 0600);
    if (current < 0 || ftruncate(current, MOST + 2) != 0)
        return perror(words[4]), 2;
    unsigned char *shown = mmap(NULL, MOST + 2, PROT_WRITE, MAP_SHARED, current, 0);
    static unsigned char bytes[MOST];
    if (shown == MAP_FAILED)
        return perror(words[4]), 2;
    for (uint64_t run = 0; run < first + runs; run++) {
        size_t length;
        if (run < first) {
            length = read_file(words[5 + run], bytes);
        } else {
            const input *chosen = &corpus[below(2) ? below(kept) : kept - 1 - below(kept) / 8];
            memcpy(bytes, chosen->bytes, chosen->length);
            length = mutate(bytes, chosen->length);
        }
        shown[0] = (unsigned char)(length >> 8);
        shown[1] = (unsigned char)length;
        memcpy(shown + 2, bytes, length);
        memset(hits, 0, sizeof hits);
        before = 0;
        alarm(PATIENCE);
        target(bytes, length);
        if (is_new() || run < first)
            keep(bytes, length);
    }
    printf("%llu runs, %zu inputs kept, %zu edges\n", (unsigned long long)(first + runs), kept, edges);
    return 0;
}
