/** The folder with the oldest releases that Baton supports. */
export const oldestAgents: URL;
/** The folder with the OpenClaw gateway. */
export const openClawFolder: URL;
/** Installs the agents of a folder (the pinned ones by default), unless its lockfile is installed already. */
export function installAgents(folder?: URL): Promise<void>;
