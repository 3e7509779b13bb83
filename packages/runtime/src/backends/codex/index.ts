export { codexBackend, codexSpec, gatewayDriver } from './backend.ts';
export { codexDialects } from './dialects.ts';
