export { demoBackend } from './backend.ts';
export { demoDialects } from './dialect.ts';
