/** The version of Baton, for agents, logs and `--version`. A test compares it with the manifests of all packages. */
export const VERSION = '0.1.0';
