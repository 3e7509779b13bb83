import type { Locator } from 'playwright-core';

/** The words of an element in the order in which they are drawn, line by line from left to right. */
export function drawnWords(place: Locator): Promise<string> {
  return place.evaluate((element) => {
    const words: { word: string; x: number; y: number }[] = [];
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      for (const { 0: word, index } of text.data.matchAll(/\S+/gu)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const { x, y } = range.getBoundingClientRect();
        words.push({ word, x, y });
      }
    }
    const inLine = (one: number, other: number) => Math.abs(one - other) < 8;
    words.sort((one, other) => (inLine(one.y, other.y) ? one.x - other.x : one.y - other.y));
    return words.map(({ word }) => word).join(' ');
  });
}
