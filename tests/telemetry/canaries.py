"""Words that a model writes in the tests, to be looked for in all that leaves the process."""

CANARY = "k4narienvogel"
"""Stands in arguments, keys, results, error texts and past the cut of a tool's name."""

INVENTED = "erfunden"
"""Begins every tool's name that a model made up; one attribute may show it."""
