import { IncompleteRelease, installRelease, type Published, published } from './releases.ts';

/** Release that is examined. */
export type ChosenRelease = Published & {
  modules: string;
  /** The newest release and npm's reason, if the registry lacks a part of it; the pinned one takes its place. */
  incomplete?: { version: string; reason: string } | undefined;
};

type Choice = {
  package: string;
  /** Release or tag that the user named. */
  named: string | undefined;
  pinned: { version: string; modules: string };
};

/**
 * Installs the release that the user named, or else the newest one. One broken publication must not keep the other agents
 * from being examined: if the registry lacks a part of the newest release, the pinned one is examined instead.
 */
export async function chooseRelease(
  { package: name, named, pinned }: Choice,
  registry = { published, installRelease },
): Promise<ChosenRelease> {
  const release = await registry.published(name, named);
  if (release.version === pinned.version) return { ...release, modules: pinned.modules };
  try {
    return { ...release, modules: await registry.installRelease(name, release.version) };
  } catch (error) {
    if (named !== undefined || !(error instanceof IncompleteRelease)) throw error;
    return { ...pinned, incomplete: { version: release.version, reason: error.message } };
  }
}
