/** Variables of Baton, and secrets of the agents: a script needs none of them. */
const WITHHELD = /^BATON_|(_API_KEY|_TOKEN|_SECRET|PASSWORD)$/;

/** The environment of a script: that of this program without secrets, and the variables of the project. */
export function scriptEnvironment(
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | undefined>> {
  const inherited = Object.entries(process.env).filter(([name]) => !WITHHELD.test(name));
  return { ...Object.fromEntries(inherited), ...own };
}
