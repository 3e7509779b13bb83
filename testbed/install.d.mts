/** Installs the pinned agents, unless this very lockfile is installed already. */
export function installAgents(): Promise<void>;
