/** The file, and the hunk in it, that the user went to. */
export type CurrentPlace = {
  path: string;
  /** Undefined for the file itself. */
  hunk: number | undefined;
  /** True if the focus follows, so that Enter expands and collapses the file. */
  isByKey: boolean;
};
