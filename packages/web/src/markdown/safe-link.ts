const SAFE = /^(https?:\/\/|mailto:)/i;

/** The address of a link that may be followed; nothing for one that could run something or leads nowhere. */
export function safeLink(href: string): string | undefined {
  // Browsers leave out what cannot be seen, so that "java\nscript:" would be an address as well.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are left out
  const address = href.replaceAll(/[\u0000-\u0020\u007f]/g, '');
  return SAFE.test(address) && URL.canParse(address) ? address : undefined;
}
