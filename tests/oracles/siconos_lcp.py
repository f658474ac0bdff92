"""Reader of Siconos' text files of linear complementarity problems."""
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "external" / "siconos" / "lcp"


def read(file):
    """A, b. Dense matrices and blocks are stored column by column; a file may end with remarks."""
    words = iter(Path(file).read_text().split())
    n, blocks = int(next(words)), int(next(words))
    rows, columns = int(next(words)), int(next(words))
    if blocks:
        A = read_blocks(words, rows)
    else:
        assert (int(next(words)), int(next(words))) == (rows, columns)
        A = np.array([float(next(words)) for _ in range(rows * columns)]).reshape(columns, rows).T
    return np.ascontiguousarray(A), np.array([float(next(words)) for _ in range(n)])


def read_blocks(words, size):
    """Sparse blocks: their count, the block rows and columns, cumulated sizes, compressed row pointers, values."""
    def integers(count):
        return [int(next(words)) for _ in range(count)]

    count, block_rows, block_columns = integers(3)
    row_ends, column_ends = [0, *integers(block_rows)], [0, *integers(block_columns)]
    pointers_size, indices_size = integers(2)
    pointers, indices = integers(pointers_size), integers(indices_size)
    A = np.zeros((size, size))
    for i in range(block_rows):
        for k in range(pointers[i], pointers[i + 1]):
            assert integers(1) == [k]
            j = indices[k]
            height, width = row_ends[i + 1] - row_ends[i], column_ends[j + 1] - column_ends[j]
            block = np.array([float(next(words)) for _ in range(height * width)]).reshape(width, height).T
            A[row_ends[i]:row_ends[i + 1], column_ends[j]:column_ends[j + 1]] = block
    assert count == indices_size
    return A
