// Letters and signs of formulas, with their names in LaTeX. Pure.

/** Lower-case Greek from alpha on, with the second sigma in its place. */
const GREEK =
  'alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon varphi chi psi omega'.split(
    ' ',
  );
const ALPHA = 0x3b1;
/** Capital letters that do not look like Latin ones. */
const CAPITALS = 'ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi ΣSigma ΥUpsilon ΦPhi ΨPsi ΩOmega';
const SIGNS = [
  'ϕphi ϵepsilon ϑvartheta ϖvarpi ϱvarrho ℏhbar ℓell ℜRe ℑIm ℘wp ∂partial ∇nabla ∞infty ∅emptyset',
  '±pm ∓mp ×times ÷div ⋅cdot ·cdot ∘circ ∗ast ⊕oplus ⊗otimes ⊙odot',
  '≤leq ≥geq ≠neq ≈approx ≡equiv ∼sim ≃simeq ≅cong ∝propto ≪ll ≫gg ⊥perp ∥parallel',
  '∈in ∉notin ∋ni ⊂subset ⊃supset ⊆subseteq ⊇supseteq ∪cup ∩cap ∖setminus',
  '∧wedge ∨vee ¬neg ∀forall ∃exists ∄nexists ⊢vdash ⊨models ∴therefore ∵because',
  '→to ←leftarrow ↔leftrightarrow ⇒Rightarrow ⇐Leftarrow ⇔Leftrightarrow ↦mapsto ↑uparrow ↓downarrow ⟶longrightarrow',
  '…ldots ⋯cdots ⋮vdots ⋱ddots ′prime °degree ∠angle √surd',
  '∑sum ∏prod ∐coprod ∫int ∬iint ∭iiint ∮oint ⋃bigcup ⋂bigcap ⋁bigvee ⋀bigwedge ⨁bigoplus ⨂bigotimes',
  '⟨langle ⟩rangle ⌊lfloor ⌋rfloor ⌈lceil ⌉rceil ‖Vert',
].join(' ');
const SETS = new Map(
  [...'ℂC ℍH ℕN ℙP ℚQ ℝR ℤZ'.matchAll(/(\S)(\S)/gu)].map(([, sign = '', letter = '']) => [sign, letter]),
);

const NAMES: ReadonlyMap<string, string> = new Map([
  ...GREEK.map((name, index) => [String.fromCodePoint(ALPHA + index), name] as const),
  ...`${CAPITALS} ${SIGNS}`.split(' ').map((it) => [it.slice(0, 1), it.slice(1)] as const),
]);

const SPECIAL = /[\\{}$&#%_^~]/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\backslash '],
  ['~', '\\sim '],
  ['^', '\\hat{}'],
]);

/** Converts text of a formula. Names end with a space, so that no letter continues them. */
export function latexText(text: string): string {
  return Array.from(text, latexLetter).join('');
}

function latexLetter(letter: string): string {
  const name = NAMES.get(letter);
  if (name !== undefined) return name === 'o' ? 'o' : `\\${name} `;
  const set = SETS.get(letter);
  if (set !== undefined) return `\\mathbb{${set}}`;
  // Slanted and bold letters, which Unicode has besides the plain ones.
  const plain = letter.normalize('NFKC');
  if (plain !== letter) return latexText(plain);
  if (letter === '−') return '-';
  if (letter === '|') return '\\vert ';
  return SPECIAL.test(letter) ? (ESCAPES.get(letter) ?? `\\${letter}`) : letter;
}

/** Returns the name of one sign, with its backslash; the sign itself when it has none. */
export function latexSign(sign: string): string {
  return latexText(sign).trim();
}
