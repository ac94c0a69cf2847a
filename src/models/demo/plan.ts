// A plan as Markdown, filled with the person's own words.

/** Steps are the things named after a colon or in a list; without any, the general shape of a piece of work. */
export function planFor(goal: string): string {
  if (goal === '') return 'Tell me what to plan, for example “plan a birthday party: guests, cake, music”.';
  const colon = goal.indexOf(':');
  const subject = (colon < 0 ? goal : goal.slice(0, colon)).trim();
  const named = (colon < 0 ? '' : goal.slice(colon + 1))
    .split(/[,;\n]|\sand\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const steps = named.length > 1 ? stepsFor(named) : generalSteps(subject);
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
  const note =
    '*I am a demo model: this is a pattern filled with your words, a start to cross things out of.*';
  return `## Plan: ${subject}\n\n${list}\n\n${note}`;
}

function stepsFor(named: readonly string[]): string[] {
  const work = named.map((name) => `**${capital(name)}**: decide what is needed, who does it and by when.`);
  return [...work, '**Check**: go through the list together, and write down what is still open.'];
}

function generalSteps(subject: string): string[] {
  return [
    `**Goal**: write one sentence that says when “${subject}” is done.`,
    '**Look around**: collect what is there already, and what is missing.',
    '**First version**: do the smallest thing that would already be useful.',
    '**Try it**: show it to one person, and note what they stumble over.',
    '**Improve**: fix the two things that matter most; leave the rest.',
    '**Finish**: compare with the sentence from step 1, and write down what you learned.',
  ];
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
