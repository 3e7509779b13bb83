export { CLAUDE_BINARY, claudeBackend, claudeSpec } from './backend.ts';
export { gatewayDriver, runnerDriver } from './contract-drivers.ts';
export { claudeDialects } from './dialect.ts';
