export type Fault = {
  method?: string | undefined;
  path: RegExp;
  /** The HTTP status of the response; `reset` closes the connection without one. */
  status: number | 'reset';
  /** True if the request takes effect before it fails. */
  takesEffect?: boolean | undefined;
  /** Number of requests that fail; 1 by default. */
  times?: number | undefined;
};

/** Requests that are going to fail. */
export class Faults {
  #faults: (Fault & { times: number })[] = [];

  add(fault: Fault): void {
    this.#faults.push({ ...fault, times: fault.times ?? 1 });
  }

  take(method: string, path: string): Fault | undefined {
    const fault = this.#faults.find(
      (each) => each.times > 0 && (each.method ?? method) === method && each.path.test(path),
    );
    if (fault) fault.times -= 1;
    return fault;
  }
}
