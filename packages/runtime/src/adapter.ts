/** Entry point for authors of backends. */
export * from '@baton/engine/adapter';
