<?php
// SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

namespace Olio;

/** Words that the loader makes names, titles and sentences of. */
final class Words
{
    public const CITIES = ['Amsterdam', 'Antwerp', 'Athens', 'Bergen', 'Bilbao', 'Bologna', 'Bordeaux', 'Bristol', 'Cork',
        'Dublin', 'Florence', 'Geneva', 'Ghent', 'Gothenburg', 'Graz', 'Hamburg', 'Helsinki', 'Krakow', 'Leipzig', 'Lisbon',
        'Ljubljana', 'Lyon', 'Malmö', 'Marseille', 'Nantes', 'Naples', 'Oporto', 'Oslo', 'Prague', 'Riga', 'Rotterdam',
        'Salzburg', 'Seville', 'Tallinn', 'Trieste', 'Turin', 'Utrecht', 'Valencia', 'Vienna', 'Zurich'];
    public const VENUES = ['Town Hall', 'Old Mill', 'City Library', 'Harbour Stage', 'Green Park', 'Station Café', 'River Club',
        'Museum Yard', 'Market Square', 'School Hall', 'Botanical Garden', 'Lighthouse', 'Brewery', 'Boat House', 'Studio 4',
        'Corner Theatre', 'Sports Ground', 'Castle Court', 'Tram Depot', 'Roof Terrace'];
    public const FIRST = ['Ada', 'Amir', 'Anna', 'Ben', 'Bruno', 'Carla', 'Chiara', 'Clara', 'Dana', 'David', 'Elena', 'Emil',
        'Eva', 'Felix', 'Fatima', 'Greta', 'Hanna', 'Hugo', 'Ida', 'Ines', 'Ivan', 'Jana', 'Jonas', 'Julia', 'Karim', 'Laura',
        'Leo', 'Lena', 'Luca', 'Maja', 'Marco', 'Maria', 'Mina', 'Nadia', 'Nils', 'Nora', 'Olga', 'Oscar', 'Paula', 'Pavel',
        'Petra', 'Rosa', 'Sami', 'Sara', 'Simon', 'Sofia', 'Tara', 'Theo', 'Vera', 'Yusuf'];
    public const LAST = ['Adler', 'Almeida', 'Bakker', 'Berg', 'Bianchi', 'Blanc', 'Costa', 'Dahl', 'Dubois', 'Egger', 'Ferrari',
        'Fischer', 'Fontaine', 'Garcia', 'Haas', 'Hansen', 'Horvat', 'Ibrahim', 'Jansen', 'Keller', 'Klein', 'Kovacs', 'Larsen',
        'Lopez', 'Maier', 'Marin', 'Moreau', 'Moser', 'Nagy', 'Nilsson', 'Novak', 'Olsen', 'Pereira', 'Petrov', 'Ricci', 'Rossi',
        'Santos', 'Schmid', 'Silva', 'Smith', 'Sokol', 'Steiner', 'Svensson', 'Tanaka', 'Vidal', 'Virtanen', 'Vogel', 'Weber',
        'Wolf', 'Zeman'];
    public const TAGS = ['jazz', 'film', 'theatre', 'running', 'chess', 'cooking', 'books', 'photo', 'cycling', 'dance', 'opera',
        'yoga', 'history', 'museum', 'garden', 'wine', 'coffee', 'science', 'maths', 'poetry', 'rock', 'choir', 'football',
        'hiking', 'sailing', 'climbing', 'kids', 'market', 'design', 'art', 'code', 'games', 'language', 'travel', 'radio',
        'craft', 'ceramics', 'trains', 'birds', 'stars'];
    public const TAG_KINDS = ['', '-night', '-walk', '-talk', '-class', '-club', '-fair', '-tour', '-open', '-late'];
    public const KINDS = ['Evening', 'Workshop', 'Meeting', 'Concert', 'Walk', 'Festival', 'Lecture', 'Tournament', 'Exhibition',
        'Picnic', 'Rehearsal', 'Breakfast', 'Open Day', 'Marathon', 'Quiz', 'Premiere', 'Swap', 'Class', 'Parade', 'Reunion'];
    public const MOODS = ['Slow', 'Bright', 'Annual', 'Little', 'Grand', 'Quiet', 'Midsummer', 'First', 'Friendly', 'Secret',
        'Outdoor', 'Late', 'Early', 'Wild', 'Common', 'Open', 'Sunday', 'Winter', 'Rainy-Day', 'Long'];
    public const ADJECTIVES = ['ancient', 'blue', 'brisk', 'calm', 'careful', 'cheerful', 'clever', 'crooked', 'curious', 'daring',
        'deep', 'drowsy', 'dusty', 'eager', 'early', 'empty', 'famous', 'foggy', 'fragile', 'gentle', 'golden', 'grumpy', 'hidden',
        'hollow', 'honest', 'huge', 'humble', 'icy', 'jolly', 'kind', 'lazy', 'lively', 'lonely', 'loud', 'lucky', 'mellow', 'modest',
        'narrow', 'noisy', 'odd', 'patient', 'plain', 'polite', 'proud', 'quick', 'rare', 'rusty', 'salty', 'sharp', 'shy', 'silent',
        'sleepy', 'smooth', 'spare', 'steep', 'strange', 'sturdy', 'tidy', 'tiny', 'vivid', 'warm', 'windy', 'wise', 'zesty'];
    public const NOUNS = ['accordion', 'anchor', 'apron', 'balcony', 'banjo', 'basket', 'bell', 'blanket', 'bridge', 'bucket', 'cabin',
        'candle', 'canoe', 'carpet', 'cellar', 'chimney', 'clock', 'compass', 'cupboard', 'curtain', 'drum', 'engine', 'feather',
        'ferry', 'fiddle', 'fountain', 'gallery', 'gate', 'hammer', 'hammock', 'harvest', 'hedge', 'island', 'jacket', 'kettle',
        'kite', 'ladder', 'lantern', 'ledger', 'library', 'map', 'mirror', 'needle', 'notebook', 'orchard', 'organ', 'oven', 'parcel',
        'pavilion', 'pencil', 'piano', 'pigeon', 'pocket', 'puppet', 'quilt', 'rope', 'saddle', 'scarf', 'shovel', 'signal', 'sledge',
        'spoon', 'stove', 'telescope', 'thimble', 'ticket', 'trumpet', 'tunnel', 'umbrella', 'violin', 'wagon', 'whistle', 'window'];
    public const VERBS = ['admire', 'borrow', 'build', 'carry', 'celebrate', 'collect', 'compare', 'copy', 'decorate', 'discover',
        'discuss', 'draw', 'exchange', 'explain', 'fix', 'follow', 'gather', 'greet', 'imitate', 'invent', 'juggle', 'lift', 'measure',
        'mend', 'mix', 'name', 'paint', 'polish', 'praise', 'print', 'question', 'record', 'rehearse', 'rescue', 'review', 'sew',
        'sketch', 'sort', 'stitch', 'study', 'swap', 'taste', 'test', 'trace', 'trade', 'translate', 'tune', 'visit', 'weigh', 'wrap'];
    /** {a}djective, {n}oun, {v}erb, {d}igits, {c}ity, {f}irst name */
    public const SENTENCES = [
        'Doors open half an hour before the {a} {n}, and there is room for about {d} people.',
        'Bring a {n}, a {a} {n} and, if you can, a friend from {c}.',
        '{f} and {f} show how to {v} a {n} without a {n}.',
        'Beginners {v} as gladly as those who have met us for {d} years.',
        'We {v}, {v} and {v} until the {a} {n} is done.',
        'The last time, in {c}, a {a} {n} went around {d} tables.',
        'Entrance is free; a {a} hat goes round for the {n}.',
        'There are {d} seats beside the {n} and a {a} lift to the {n}.',
        'If it rains, {f} will {v} the {n} under a {a} roof.',
        'Children up to {d} may {v} the {a} {n} with {f}.',
        'Our guest from {c} will {v} a {n}, then {v} whatever you ask.',
        'You need no {n}: {f} lends everything, from the {n} to a {a} {n}.',
        'Tram {d} stops beside the {a} {n}; ask for {f}.',
        'Half of what the {n} earns goes to a {a} {n} in {c}.',
        'Tell {f} in a comment which {n} you would like to {v}.',
        'A {a} walk leads by the {n} to the {a} {n} of {c}.',
        'Come early to {v} the {n}: the {a} ones are gone by {d}.',
        '{f} wrote {d} songs about a {a} {n} in {c}.',
        'Who wants to {v} a {a} {n} meets {f} at the {n}.',
        'Afterwards we {v} soup, {v} stories and {v} the {n}.',
    ];
    public const REMARKS = [
        'Went last year with {f} and would {v} it again. ', 'Is there a {a} place for a {n}? ', 'Great {n}, {a} people. ',
        'A {a} evening; the {n} was worth it. ', 'My children still {v} the {n}. ', 'Could {f} lend me a {n}? ',
        'The most {a} {n} that I have seen since {c}. ', 'Bring a {n}, {f} takes no cards. ', 'Too {a}! ',
        'We were {d} from {c} and had a {a} {n} to ourselves. ', 'Will {f} {v} a second date? ', 'Loved the {n}, less so the {n}. ',
    ];
}
