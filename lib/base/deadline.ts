/** Deadlines of work that can be aborted. */

/** Runs `work` with a signal that aborts with `signal` or on timeout, and then throws the reason. */
export async function withDeadline<T>(
  timeoutMs: number,
  timeoutReason: unknown,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(timeoutReason), timeoutMs);
  const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    return await work(either);
  } catch (cause) {
    either.throwIfAborted();
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}
