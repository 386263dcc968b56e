"""Linear algebra runs in one thread where it is ours, and as before elsewhere."""

from threadpoolctl import ThreadpoolController

from analysis.stats.threads import one_thread


def _threads() -> set[int]:
    return {library["num_threads"] for library in ThreadpoolController().select(user_api="blas").info()}


def test_one_thread_while_a_function_runs_and_as_many_as_before_after_it() -> None:
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = _threads()
        assert one_thread(_threads)() == {1}
        assert _threads() == before


def test_analyses_run_so() -> None:
    """Every function that does much linear algebra is wrapped: its own body is behind the limit."""
    from analysis.clues.classifier import classify
    from analysis.judging import validate_judges
    from analysis.planning import plan
    from analysis.stats.mixed import fit_mixed
    from analysis.summary import analyze

    for function in (analyze, fit_mixed, classify, validate_judges, plan):
        assert hasattr(function, "__wrapped__"), function
