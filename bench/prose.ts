// Text that compresses about as people's text does: words by chance, the same for the same seed.

const WORDS =
  `the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
  one you were all her she there would their we him been has when who will no more if out so up said what its about
  than into them can only other time new some could these two may first then do any like my now over such our man me
  even most made after also did many off before must well back through years much where your way down should because
  long each just state those people too mister little good world make very year still see own work men day get here
  old between both life being under three never know same last another while us might great go come since against
  right came take used himself few house american use place during without high again home around small however found
  part school thought went say general once upon war always number system water less public put think almost hand
  enough far took head yet government better set told nothing night end why called eyes find going look asked later
  point knew next city business case group give days young let room president side given present several order
  national second possible rather per face among form important often things looked early white become large big need
  four within felt children along saw best church ever least power development light thing seemed family interest want
  members mind country area others turned although open door service problem certain different kind began thus help
  means sense whole matter taken human action perhaps history fact money until question company local example past`
    .trim()
    .split(/\s+/);

/** So many characters of words and full stops, without a line break. */
export function prose(seed: number, characters: number): string {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  let text = '';
  while (text.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const word = WORDS[(state >>> 8) % WORDS.length] ?? '';
    text += (state & 0xf0) === 0 ? `${word}. ` : `${word} `;
  }
  return text.slice(0, characters);
}
