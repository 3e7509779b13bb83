import type { Environment } from '@baton/process/isolation/confine';
import type { InheritedVariables } from '../worktree/workspace-files.ts';

/** Variables of Baton, and secrets of the agents: a script needs none of them. */
const WITHHELD = /^BATON_|(_API_KEY|_TOKEN|_SECRET|PASSWORD)$/;

/** The environment of a script: that of this program without secrets, and the variables of the project. */
export async function scriptEnvironment(
  own: Readonly<Record<string, string>> = {},
  inherited: InheritedVariables = () => process.env,
): Promise<Environment> {
  const kept = Object.entries(await inherited()).filter(([name]) => !WITHHELD.test(name));
  return { ...Object.fromEntries(kept), ...own };
}
