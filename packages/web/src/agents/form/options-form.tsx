import { Suspense } from 'react';
import { Loading } from '../../design/empty.tsx';
import { lazyPart } from '../../shell/lazy-view.tsx';

export type OptionsFormProps = {
  /** A JSON Schema of an object: `optionsSchemaOf` makes it for an agent. */
  schema: object;
  /** Only what differs from the agent's defaults. */
  value: Readonly<Record<string, unknown>>;
  onChange: (value: Record<string, unknown>) => void;
  disabled?: boolean | undefined;
};

const SchemaForm = lazyPart(async () => (await import('./schema-form.tsx')).SchemaForm);

/** The options of an agent as a form, loaded when it is shown. */
export function OptionsForm(props: OptionsFormProps) {
  return (
    <Suspense fallback={<Loading lines={6} />}>
      <SchemaForm {...props} />
    </Suspense>
  );
}
