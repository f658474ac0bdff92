"""The oracles are plain modules beside the tests."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "oracles"))
