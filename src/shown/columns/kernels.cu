// Kernels of the engine on a GPU, launched by `cuda.py`. `tests/gpu_twin.py` has the same loops in Python; change both
// together. One warp reads a row of words (a plane or a program's column), for wide loads. Rows are numbered by an open
// hash table and are equal if all their words are.

typedef unsigned long long u64;
typedef long long i64;

#define EMPTY (-1)              // a free slot of the table; as the number of a row, CONSTANT
#define PENDING(i) (-2 - (i))   // row i of those being added; its own inverse

__device__ __forceinline__ u64 spread(u64 word, int bit) { return 0ULL - ((word >> bit) & 1ULL); }

__device__ __forceinline__ u64 mixed(u64 x, int place) {
    x += (u64)(place + 1) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

// One block per plane. out[x] = plane[x + offset]; beyond the frame the bit of the void, and nowhere its own bit.
extern "C" __global__ void shift(
    const u64* __restrict__ store, const i64* offsets, const i64* conditions, int rows, int columns, int words,
    u64* __restrict__ out
) {
    const i64 i = blockIdx.x, size = (i64)rows * columns * words;
    const int dr = (int)offsets[2 * i], dc = (int)offsets[2 * i + 1];
    const u64* plane = store + conditions[i] * size;
    u64* shifted = out + i * size;
    const u64 last = plane[words - 1], beyond = spread(last, 62), top = 1ULL << 63;
    const int stride = (dr * columns + dc) * words;
    for (int t = threadIdx.x; t < size; t += blockDim.x) {
        const int cell = t / words, w = t - cell * words;
        const int r = cell / columns, y = r + dr, x = cell - r * columns + dc;
        if (0 <= y && y < rows && 0 <= x && x < columns) shifted[t] = plane[t + stride];
        else shifted[t] = w == words - 1 ? (beyond & ~top) | (last & top) : beyond;
    }
}

// One block per plane, one thread per word of a line. A line starts at a cell whose next cell lies beyond the frame, and
// is processed backwards: out[x] = until[x + o] | (~unless[x + o] & inside[x + o] & out[x + o]).
extern "C" __global__ void scan(
    const u64* __restrict__ store, const i64* offsets, const i64* untils, const i64* unlesses,
    const u64* __restrict__ inside, const u64* somewhere, int rows, int columns, int words, u64* __restrict__ out
) {
    const i64 i = blockIdx.x, size = (i64)rows * columns * words;
    const int dr = (int)offsets[2 * i], dc = (int)offsets[2 * i + 1];
    const u64 *until = store + untils[i] * size, *unless = store + unlesses[i] * size;
    u64* found = out + i * size;
    const u64 beyond = spread(until[words - 1], 62);
    const int high = min(abs(dr), rows), wide = min(abs(dc), columns);
    const int ends = high * columns + (rows - high) * wide;
    const int stride = (dr * columns + dc) * words;
    for (int t = threadIdx.x; t < ends * words; t += blockDim.x) {
        int end = t / words;
        const int w = t - end * words;
        int r, c;
        if (end < high * columns) {
            r = end / columns;
            c = end - r * columns;
            if (dr > 0) r += rows - high;
        } else {
            end -= high * columns;
            r = end / wide;
            c = end - r * wide;
            if (dr < 0) r += high;
            if (dc > 0) c += columns - wide;
        }
        const u64 real = somewhere[w];
        u64 value = beyond & real;
        int at = (r * columns + c) * words + w;
        found[at] = value;
        for (r -= dr, c -= dc; 0 <= r && r < rows && 0 <= c && c < columns; r -= dr, c -= dc) {
            value = (until[at] | (~unless[at] & inside[at] & value)) & real;
            at -= stride;
            found[at] = value;
        }
    }
}

// One warp per program, one lane per state. `first` has the place of the first cell with each value by slot,
// -1 where there is none, -2 where there is no state. A vote of the warp is half a word.
extern "C" __global__ void at_first(
    const u64* store, const i64* values, const i64* conditions, const int* first, i64 n, int cells, int words,
    unsigned* out
) {
    const i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (i >= n) return;
    const u64* plane = store + conditions[i] * cells * words;
    const int* places = first + values[i] * words * 64;
    const u64 nowhere = plane[words - 1] >> 63;
    for (int half = 0; half < 2 * words; half++) {
        const int slot = half * 32 + lane, place = places[slot];
        u64 bit = 0;
        if (place >= 0) bit = plane[(i64)place * words + (slot >> 6)] >> (slot & 63) & 1ULL;
        else if (place == -1) bit = nowhere;
        const unsigned vote = __ballot_sync(0xFFFFFFFFu, bit != 0);
        if (lane == 0) out[i * 2 * words + half] = vote;
    }
}

// A word of a row as it is looked up: masked, and negated where `sign` is all ones.
__device__ __forceinline__ u64 word_of(const u64* row, const int* places, const u64* mask, u64 sign, int w) {
    return (row[places[w]] ^ sign) & mask[w];
}

// One warp per row: whether it is looked up as its negation, whether it is all zeros then, and its hash.
extern "C" __global__ void fingerprint(
    const u64* flat, i64 n, i64 width, const int* places, const u64* mask, int words, u64 lowest, u64* mixes,
    bool* flips, bool* zeros
) {
    const i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (i >= n) return;
    const u64* row = flat + i * width;
    const bool flip = (row[places[0]] & lowest) != 0;
    const u64 sign = flip ? ~0ULL : 0ULL;
    u64 mix = 0, some = 0;
    for (int w = lane; w < words; w += 32) {
        const u64 x = word_of(row, places, mask, sign, w);
        some |= x;
        mix += mixed(x, w);
    }
    for (int half = 16; half; half /= 2) {
        mix += __shfl_xor_sync(0xFFFFFFFFu, mix, half);
        some |= __shfl_xor_sync(0xFFFFFFFFu, some, half);
    }
    if (lane == 0) {
        mixes[i] = mix;
        flips[i] = flip;
        zeros[i] = some == 0;
    }
}

// One warp per row: the number of the row it equals, known or among those being added, or CONSTANT. Of equal new rows
// the one that took a slot of the table represents all; `lead` gets the first of them.
extern "C" __global__ void meet(
    const u64* flat, i64 n, i64 width, const int* places, const u64* mask, int words, u64 lowest, const u64* mixes,
    const bool* flips, const bool* zeros, const u64* known, const u64* known_mixes, int* table, u64 slots, int* met,
    int* lead, u64* slot_of
) {
    const i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (i >= n) return;
    if (lowest && zeros[i]) {
        if (lane == 0) met[i] = EMPTY;
        return;
    }
    const u64 *row = flat + i * width, mix = mixes[i], sign = flips[i] ? ~0ULL : 0ULL;
    for (u64 slot = mix & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
        int k = 0;
        if (lane == 0) {
            k = *(volatile int*)(table + slot);
            if (k == EMPTY) k = atomicCAS(table + slot, EMPTY, PENDING((int)i));
            if (k == EMPTY) {
                met[i] = PENDING((int)i);
                slot_of[i] = slot;
            }
        }
        k = __shfl_sync(0xFFFFFFFFu, k, 0);
        if (k == EMPTY) return;
        if ((k >= 0 ? known_mixes[k] : mixes[PENDING(k)]) != mix) continue;
        bool differ = false;
        if (k >= 0) {
            const u64* other = known + (i64)k * words;
            for (int w = lane; w < words; w += 32) differ |= word_of(row, places, mask, sign, w) != other[w];
        } else {
            const i64 j = PENDING(k);
            const u64 *other = flat + j * width, turned = flips[j] ? ~0ULL : 0ULL;
            for (int w = lane; w < words; w += 32)
                differ |= word_of(row, places, mask, sign, w) != word_of(other, places, mask, turned, w);
        }
        if (__any_sync(0xFFFFFFFFu, differ)) continue;
        if (lane == 0) {
            met[i] = k;
            if (k < 0) atomicMin(lead + PENDING(k), (int)i);
        }
        return;
    }
}

// One warp per new row: store its words, its hash and its number.
extern "C" __global__ void keep(
    const u64* flat, i64 width, const int* places, const u64* mask, int words, const u64* mixes, const bool* flips,
    const u64* slot_of, const i64* leaders, i64 count, int start, u64* known, u64* known_mixes, int* table
) {
    const i64 j = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (j >= count) return;
    const i64 i = leaders[j];
    const u64 *row = flat + i * width, sign = flips[i] ? ~0ULL : 0ULL;
    u64* kept = known + (start + j) * words;
    for (int w = lane; w < words; w += 32) kept[w] = word_of(row, places, mask, sign, w);
    if (lane == 0) {
        known_mixes[start + j] = mixes[i];
        table[slot_of[i]] = start + (int)j;
    }
}

// One thread per known row, into a larger table: no two are equal, so nothing is compared.
extern "C" __global__ void enter(const u64* known_mixes, i64 count, int* table, u64 slots) {
    const i64 k = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    u64 slot = known_mixes[k] & (slots - 1);
    while (atomicCAS(table + slot, EMPTY, (int)k) != EMPTY) slot = (slot + 1) & (slots - 1);
}

// One thread per program: the first program of each row from `start` on.
extern "C" __global__ void first_place(const int* ids, i64 n, int start, int* first) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && ids[i] >= start) atomicMin(first + ids[i] - start, (int)i);
}

// One warp per row: some rows with the signs of their first programs.
extern "C" __global__ void signed_rows(
    const u64* known, const i64* numbers, const bool* turned, const u64* mask, i64 count, int words, u64* out
) {
    const i64 j = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (j >= count) return;
    const u64 *row = known + numbers[j] * words, sign = turned[j] ? ~0ULL : 0ULL;
    for (int w = threadIdx.x & 31; w < words; w += 32) out[j * words + w] = row[w] ^ (sign & mask[w]);
}
