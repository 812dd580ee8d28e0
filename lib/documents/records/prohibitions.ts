/** Finds what a decision forbids: the sentences and list items that say what must not be done, or who alone may do it. */

import type { Markdown } from "../../formats/markdown/document.ts";
import { SETEXT } from "../../formats/markdown/body.ts";
import { MAX_LINE, plain } from "../../formats/markdown/lines.ts";
import { headingPattern } from "./signs.ts";

/** What people do with code. */
const ACTS =
  "(?:be )?(?:use|allow|accept|permit|store|log|expose|commit|introduce|add|create|mix|share|write|rely|depend|import|call|merge|publish|contain|include|build|modify|change|edit|rename|track|mock|catch|ship|deploy|put|set|pass|return|render|implement|duplicate|reuse|make|run|adopt|enforce|keep|attempt|consider|hard-?code|touch|copy|access|apply|remove|delete|bypass|skip|override|overwrite|mutate|move|reference|recommend|drop|hold|fork|disable|enable)(?:d|ed|s)?";
/** The same of a thing. Its other verbs say how it works. */
const USES =
  "(?:be (?:used|allowed|accepted|permitted|stored|logged|exposed|committed|imported|modified|changed|edited|removed|applied|called|accessed|overridden|bypassed|merged|introduced|shared)|(?:contain|accept|import|depend|rely|modify|edit|add|remove|call|access|override|bypass|merge|introduce)(?= ))";
/** How languages forbid: patterns for anywhere in a sentence and, after ^, for the start of a clause. */
const LANGUAGES: Readonly<Record<string, string>> = {
  English:
    `(?:must|shall|should|ought)(?:n['’]t| (?:\\p{L}+ly |also |then )?(?:not|never|no longer|neither))|may (?:not|never|no longer)(?: itself)? ${USES}|may [^.;:]{1,100}?,? but (?:not|never)|(?:must|shall|should|may)(?: (?!that )\\p{L}+){0,2} (?:only|exclusively|solely)|(?:is|are|be|also|\\p{L}+ly) (?:forbidden|prohibited|disallowed|banned|discouraged(?! by)|off[- ]limits|unacceptable)|(?:not|never|only|no longer)(?: be)? (?:allowed|permitted)|(?:allowed|permitted) only|(?:must|should|shall|to) be avoided|(?:must|should|shall) avoid|we (?:will|shall)(?: \\p{L}+ly)? (?:not|never|no longer)|we won['’]t|we (?:\\p{L}+ly )?(?:discourage|forbid|prohibit|ban|disallow)|(?<=, (?:and |but )?)(?:do not|don['’]t) (?:${USES}|include|set|create|write|mix)|will (?:not|no longer) (?:(?:be (?:used|allowed|accepted|permitted|merged|committed|shared)(?! by)|(?:contain|accept|import|depend|introduce)(?= )))|(?:must|should) [^.;:]{1,300}?, (?:and )?not(?! (?:only|just|yet|necessarily|all|less|more))|(?<=, (?:and |but )?)never(?! (?:the|as|null))|we (?:do not|don['’]t|never|no longer|only) ${ACTS}|(?:decided|agreed|chose) not to|(?:must|should|müssen|muss|sollen|sollte) [^.;:]{1,200}?\\((?:no|not|kein\\p{L}*|nicht) ^ do not|don['’]t|never|avoid|refrain from|(?:forbidden|prohibited|disallowed|not allowed|don['’]?ts|anti-?patterns)(?=$)|only ${ACTS}|${ACTS}(?<![^s]s) only(?! (?:if|one|two))|only [^.;:,]{1,80}? (?:may|must|should|shall|are allowed|is allowed)|${ACTS} [^.;:]{1,80} only (?:for|in|when|if|as|where|to|from|within|through|via|by|on|at|inside|after|with)`,
  German:
    "(?:darf|d(?:ü|ue)rfen|soll(?:en|te|ten)?)(?: [^.,;:!?]{0,100})? (?:nicht|kein\\p{L}*|niemals|nie|nur|ausschließlich|keinesfalls|lediglich)|(?:nicht|kein\\p{L}*|niemals|nie|nur|ausschließlich)(?: [^.,;:!?]{0,80})? (?:darf|dürfen|werden dürfen|werden darf)|(?:darf|d(?:ü|ue)rfen)[^.;:!?]{1,100}, aber (?:nicht|kein\\p{L}*|nie)|verboten|untersagt|unzul(?:ä|ae)ssig|tabu|nicht (?:erlaubt|gestattet|zulässig|zugelassen)|(?:ist|sind)(?: [^.,;:!?]{0,60})? zu (?:vermeiden|unterlassen)|(?:ist|sind) nicht zu \\p{L}+|(?:muss|müssen|soll|sollen|sollte|sollten)(?: [^.,;:!?]{0,80})? vermieden werden|wir (?:verzichten|verbieten)|wird(?: [^.,;:!?]{0,60})? verzichtet|(?:nur|ausschließlich)(?: [^.,;:!?]{0,60})? (?:erlaubt|zulässig|gestattet)|(?:erlaubt|zulässig|gestattet),? (?:aber )?nur|wir ausschließlich|wir(?: \\p{L}+){0,2} (?:kein\\p{L}*|nicht mehr|nie)|(?:wird|werden)(?: \\p{L}+){0,2} (?:nicht|nie|niemals)(?: mehr)? (?:verwendet|genutzt|eingesetzt|benutzt|unterstützt|gespeichert|geloggt|akzeptiert) ^ (?:vermeide|verwende|nutze|benutze|schreibe|speichere|logge|füge|ändere|greife)n?(?: sie)?(?: [^.,;:!?]{0,60})? (?:nicht|kein\\p{L}*|niemals|nie)|vermeiden?|(?!.*(?:, (?:die|der|das|dass|den|welche)|kann|können|könn?te|hilft|helfen|um) )[^.;:!?]{1,100} (?<!zu )(?:ver)?meiden(?=[.!]?$)|\\p{L}+en sie(?: [^.,;:!?]{0,60})? (?:niemals|nie|kein\\p{L}*)|nur (?:nach|mit|in|im|bei|über|durch|für|aus|auf|von) [^.;:!?]{1,80} \\p{L}+(?:en|ern|eln)(?=[.!]?$)|niemals|(?:\\p{L}+ )?(?:nicht|kein\\p{L}*|nie) [^.;:!?,]{1,80} \\p{L}+(?:en|ern|eln)(?=[.!]?$)",
  French:
    "n(?:e |['’])(?:doi(?:t|vent)|devons|devez|devrait|devraient|peu(?:t|vent)|faut)(?: \\p{L}+)? (?:pas|jamais|plus|que)|interdit\\p{L}*|proscrit\\p{L}*|à (?:éviter|proscrire)|pas (?:autorisée?s?|permise?s?) ^ ne (?:pas|jamais) \\p{L}+|évite[rz]|jamais|seule?s? [^.;:,]{1,80}? (?:peut|peuvent|doit|doivent)|n['’]\\p{L}+ez (?:pas|jamais)|ne \\p{L}+ez (?:pas|jamais)",
  Spanish:
    "no (?:se )?(?:debe\\p{L}*|deberá\\p{L}*|puede[ns]?|podrán?)|no se \\p{L}+r[aá]n?|prohib(?:id[oa]s?|e|ir)|no (?:está|están|es|son) permitid[oa]s?|(?:solo|sólo|únicamente) (?:se )?(?:puede[ns]?|debe[ns]?) ^ (?:nunca|jamás) (?:se )?\\p{L}+[aei]r|no (?:se )?(?:usar|utilizar|permitir|incluir|crear|guardar|exponer|añadir|modificar|editar|subir|llamar|hacer|introducir|mezclar|importar|depender|escribir|ejecutar|almacenar)|evit(?:ar|e|a)|nunca|(?:solo|sólo) [^.;:,]{1,80}? (?:puede[ns]?|debe[ns]?)",
  Portuguese:
    "não (?:se )?(?:deve\\p{L}*|pode(?:m|rá|rão)?)|nunca (?:deve\\p{L}*|pode\\p{L}*)|proibid[oa]s?|vedad[oa]s?|não (?:é|são) permitid[oa]s?|(?:só|somente|apenas) (?:pode[m]?|deve[m]?) ^ (?:não|nunca|jamais) (?!requer )\\p{L}+[aei]r|evit(?:ar|e)|nunca|(?:só|somente|apenas) [^.;:,]{1,80}? (?:pode|podem|deve|devem)",
  Russian:
    "нельзя|запрещ\\p{L}+|не (?:допуска\\p{L}+|разреша\\p{L}+|долж\\p{L}+|следует)|недопустим\\p{L}* ^ избега\\p{L}+|никогда|не \\p{L}+(?:йте|ть)|только [^.;:,]{1,80}? (?:может|могут)",
  others:
    "禁止|不得|不允许|不許|严禁|嚴禁|切勿|请勿|請勿|(?<![要也])不要(?!求)|仅允许|只允许|只允許|てはならない|てはいけない|てはなりません|しないこと|해서는 안|하면 안|금지|採用し?[なせ]|使用しない|使わない ^ 禁止",
};
/** What grants a freedom, or states a reason, a condition or an expectation. */
const HARMLESS =
  "(?<!only )(?:if|unless|when|once|whether|because|since|so that|although|while|in case|(?<=, )as (?:this|these|the|it|they|we|there)|wenn|falls|weil|sofern|damit|sodass|parce que|afin|puisque|porque|para que|aunque|embora|если|потому что|чтобы|поскольку)(?= )[^,;:.]*|(?:where|when|as) (?:it|this|they)(?:['’]s| is| are) not (?:allowed|permitted)|(?:that|which|who) (?:must|should|shall|may|will|is|are) (?:not|only)|there should (?:only|not|never)|(?:should|will)(?:n['’]t| not| never) (?:break|block|reject|automatically|influence|interact|interfere|invalidate|disappear|suddenly|result|lead|prevent|trigger|have (?:an?y?|access|been|to)|be (?:any|the|a|an|considered|seen|confused|able))|should (?:take|need) only|should no longer be (?:needed|necessary|required)|ensure (?:that )?we (?:do not|don['’]t)|currently [^,;:.]*|should only (?:take|need|require|affect|happen)|(?:we (?:will not|won['’]t)|will not)(?<=^(?:if|when|once)[^.]{1,300})|may or may not|not limited|not only|nicht (?:nur|scheuen)|keine rolle|no s[oó]lo|não (?:só|apenas)|не только|does not (?:mean|imply) [^,;:.]*|(?:do|does|did|will|wo|would|should|shall|may|might)(?: not|n['’]t) (?:need|have to|have any|require|want|know|think|see|believe|expect|care|like|mean|matter|affect|impact|cause|be (?:a|an|able|too|hard|difficult|necessary|needed|required|possible|available|forced|surprised) ?|change|forget|worry|hesitate|feel|miss|panic|fear|bug|repeat|discuss|cover|describe|explain|be \\p{L}+ing)|(?:muss|müssen|braucht?|brauchen) [^,;.]{0,40}nicht";
const ASIDE = /[?？]\P{L}{0,5}$|rfc ?2119|^\P{L}*(?:reason|rationale|grund|motivo|причина|原因|理由)\P{L}/u;
/** A rule without a verb: "No secrets in logs". */
const NONE =
  /^[^\p{L}\p{N}]*(?:no|keine?n?|aucune?) (?!se |hay |es |one|longer|need|matter|support|impact|change|difference|cost|risk|problem|effect|breaking|issue|further|action|current|known|significant|major|real|such)(?=.*(?:,| (?:or|in|into|from|on|to|by|via|within|inside|outside|between|across|under|beyond|without|during|für|und|oder|aus|auf|von|im|am|vom|zwischen|außerhalb|ohne|ni|dans|entre|sur) ))(?!.* (?:=|—|–|-) )(?!.*\b(?:available|found|specified|is|are|was|were|has|have|had|will|would|need(?:s|ed)?|required|necessary|exists?|ist|sind|wird|werden|hat|haben|nötig|notwendig|erforderlich)\b)/u;
/** Sections without rules, and those of what is forbidden. */
const OTHERS = headingPattern(
  "(?:(?:context|background|motivation|problem|alternatives?|considered|options|rejected|pros|cons|consequences|positive|negative|drawbacks?|prior|rationale|history|unresolved|open (?:questions|issues|points)|future|non-goals|out of scope|references|links|status|related|risks|trade-?offs|kontext|konsequenzen|alternativen|optionen|betrachtete|begründung|hintergrund|nachteile|vorteile|risiken|verworfene?|nicht-?ziele|abgrenzung|contexte|conséquences|contexto|consecuencias|alternativas|opciones|opções|consequências|riscos|контекст|последствия|альтернативы)(?![\\p{L}\\p{M}-])|背景|后果|影响|备选|替代|代替|選択肢|결과|배경|대안)",
);
const FORBIDDEN = headingPattern(
  "(?:prohibited|prohibitions?|forbidden|disallowed|not allowed|don['’]?ts?:?$|never:?$|must not|anti-?patterns?|avoid:?$|banned|verboten|verbote|nicht erlaubt|unzul(?:ä|ae)ssig|tabus?|interdi|prohibi|proibi|禁止)",
);
/** The ends of clauses and sentences, what comes before an order, what leads to items, and the mark of an item. */
const CLAUSE = /[:;–—] ?|\((?!no |kein)(?:i\.e\. )?| - |\b(?:please|therefore) /;
const LEAD = /^[^\p{L}\p{N}]*(?:for|when|in|on|at|to|until|before|after|also|so)(?= )[^;:,]{1,200}, /u;
const SENTENCE = /(?<=(?<!\b(?:[a-z]|B|bzw|ca|[Vv]gl|Nr|etc|vs))[.!?][)"'”»]?) (?=[^\p{Ll}])|(?<=[。！？])/u;
const LEADS = /^(?!.*\b(?:reasons?|because|instead|examples?|Gründe|Beispiele?)\b).*[:：]$/i;
const ITEM = /^([ \t]*)(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+(?!❌))?/;
/** The characters of words, in lower case: patterns that ignore case take long to compile. Some languages have no spaces. */
const WORD = "[0-9_a-zß-ɏа-ӿ]";
const all = Object.values(LANGUAGES).map((one) => one.split(" ^ "));
const whole = (words: readonly string[], flags: string, start = `(?<!${WORD})`) =>
  new RegExp(`${start}(?:${words.join("|").replaceAll("\\p{L}", WORD)})(?!${WORD})`, flags);
const within = whole(all.map(([one]) => one!), "u"),
  first = whole(all.map(([, one]) => one!), "u", "^[^\\p{L}\\p{N}]*");
const harmless = whole([HARMLESS], "gu");
type Found = { readonly line: number; text: string };

function forbids(sentence: string, isAlone: boolean): boolean {
  const lower = sentence.toLowerCase(), text = ASIDE.test(lower) ? "" : lower.replace(harmless, "");
  const isRule = within.test(text) || /^(?:🚫|⛔) ?\p{L}/u.test(text) || /\bMAY (?:not|NOT)\b/.test(sentence);
  return isRule || (isAlone && NONE.test(text)) ||
    text.split(CLAUSE).some((one) => first.test(one.replace(LEAD, "")));
}

/** The sentences and items of the kept lines that forbid, in order, with the line of the paragraph or item, counted from 0. */
export function prohibitions(page: Markdown, kept: readonly number[]): readonly Found[] {
  const { lines, prose, sections } = page;
  const found: Found[] = [], isKept = new Set(kept), titles = new Map(sections.map((one) => [one.line, one]));
  let block = "", start = 0, indent = -1, last = -2, skipped = 0;
  /** What forbids the items below it, which become part of it, and its indent. */
  let lead: Found | undefined, outer = -1;
  const flush = () => {
    const text = plain(block.replace(/~~[^~]*~~/g, "")), isCut = block.length > MAX_LINE;
    block = "";
    if (text === "") return;
    if (lead && indent > outer) {
      if (found.at(-1) !== lead) found.push(lead);
      const item = (/[:：]$/.test(lead.text) ? " " : "; ") + text.replace(/[.;,]$/, "");
      if (lead.text.length + item.length < MAX_LINE) lead.text += item;
      return;
    }
    lead = undefined;
    const sentences = text.split(SENTENCE);
    if (isCut) sentences.pop();
    const isAlone = indent >= 0 || sentences.length === 1;
    for (const text of sentences) if (forbids(text, isAlone)) found.push({ line: start, text });
    const end = found.at(-1);
    if (end && end.text === sentences.at(-1) && LEADS.test(end.text)) [lead, outer] = [end, indent];
  };
  for (const index of prose) {
    const line = lines[index]!, section = titles.get(index);
    const item = ITEM.exec(line), isCode = block === "" && indent < 0 && !item && /^(?: {4}|\t)/.test(line);
    const isOther = isCode || line.trim() === "" || /^\s*[|>]/.test(line);
    if (section || item || isOther || index !== last + 1) flush();
    if (section) {
      if (section !== sections[0] && OTHERS.test(section.title)) skipped = Math.max(skipped, section.end);
      lead = FORBIDDEN.test(section.title) ? { line: index, text: `${section.title}:` } : undefined;
      outer = indent = -1;
    }
    if (section || isOther || index < skipped || !isKept.has(index) || SETEXT.test(line)) continue;
    last = index;
    if (block === "") [start, indent] = [index, item ? item[1]!.length : /^[ \t]/.test(line) ? indent : -1];
    if (block.length <= MAX_LINE) block += ` ${item ? line.slice(item[0].length) : line}`;
  }
  flush();
  return found;
}
