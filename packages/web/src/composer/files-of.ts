/** The files in what was pasted or dropped. */
export function filesOf(data: DataTransfer): File[] {
  return [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.getAsFile())
    .filter((file) => file !== null);
}
