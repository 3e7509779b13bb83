/** Entry point for tests of backends: the suite that every backend passes. */
export * from '@baton/agent-tools/conformance';
