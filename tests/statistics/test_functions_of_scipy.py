"""The command loads the functions of scipy without the rest of their package, and the same ones."""

from __future__ import annotations

import json
import subprocess
import sys
from types import ModuleType

from scipy import special

from evalreport.statistics import tail

CALLS = """
import json, sys
from evalreport.statistics import tail
found = [
    tail.normal_quantile(0.975), tail.normal_cdf(1.3), tail.normal_sf(7.0),
    tail.t_quantile(0.975, 11.5), tail.t_sf(2.5, 4.0), tail.chi2_sf(9.0, 3.0),
    tail.kolmogorov_sf(1.1), tail.binomial_greater(7, 10, 0.5), tail.binomial_less(2, 10, 0.3),
    tail.beta_quantile(0.025, 10, 3), tail.beta_quantile_upper(0.025, 2e6, 3e6),
    tail.beta_cdf(0.3, 4, 9),
]
"""
ALONE = f"""
from evalreport.processes import become_own_process
become_own_process()
{CALLS}
few = "scipy.special" not in sys.modules and "numpy.f2py" not in sys.modules
import scipy.special
whole = float(scipy.special.gammaln(5.0)), float(scipy.special.ndtri(0.975)) == found[0]
print(json.dumps([found, few, whole]))
"""


def test_the_functions_of_the_command_are_those_of_the_package():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    found, few, whole = json.loads(done.stdout)
    names: dict[str, object] = {}
    exec(CALLS, names)
    assert names["found"] == found
    assert few
    assert whole == [3.1780538303479458, True]


def test_another_program_is_given_the_package_whole():
    done = subprocess.run(
        [sys.executable, "-c", f"{CALLS}\nprint('scipy.special' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "True\n"


def test_a_function_that_stands_elsewhere_is_that_of_the_package():
    module = ModuleType("functions")
    module.ndtr = abs
    found = tail._Functions(module)
    assert found.ndtr is abs
    assert found.ndtri is special.ndtri
