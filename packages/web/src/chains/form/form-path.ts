/** The address of the form that runs a chain; with a run, it begins with the inputs and the folder of that. */
export function formPath(file: string, chain: string, from?: string): string {
  const params = new URLSearchParams({ file, chain, ...(from === undefined ? {} : { from }) });
  return `/chains/new?${params}`;
}
