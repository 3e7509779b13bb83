import type { BatonClient } from '@baton/client';

/** Keeps files for the prompts of a session; gives their ids. */
export async function attachFiles(
  client: BatonClient,
  session_id: string,
  files: readonly File[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    const { attachment_id } = await client.attachments.create({
      session_id,
      name: file.name || 'pasted',
      media_type: file.type || 'application/octet-stream',
      data: await base64(file),
    });
    ids.push(attachment_id);
  }
  return ids;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`The browser cannot read ${file.name}.`));
    reader.readAsDataURL(file);
  });
}
