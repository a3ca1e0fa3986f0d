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
    public const SENTENCES = [
        'Doors open half an hour before we begin, and there is room for about %d people.',
        'Bring something to drink, a warm layer and, if you can, a friend from %s.',
        'Beginners are as welcome as those who have done this for %d years.',
        'We start together at the main entrance and end with soup and bread.',
        'The last time, in %s, the queue went around the block, so come early.',
        'Entrance is free; a hat goes round for the musicians and the room.',
        'There are %d seats on the ground floor and a lift to the gallery.',
        'If it rains we move indoors, to the hall across the street.',
        'Children up to %d come in free when they bring a grown-up along.',
        'Our guest from %s speaks for an hour and answers questions afterwards.',
        'You need no equipment: we lend everything, from aprons to head torches.',
        'Parking is scarce, but tram %d stops in front of the door all night.',
        'Photographs are fine as long as you ask the people in them first.',
        'The group has met here every month for %d years and still grows.',
        'Tell us in a comment what you would like to see on the programme.',
        'Half of what we earn goes to the youth club in %s.',
    ];
    public const REMARKS = [
        'Went last year and would not miss it. ', 'Is there a place to leave a bicycle? ', 'Great room, warm people, good sound. ',
        'A bit crowded towards the end, but worth it. ', 'My children still talk about it. ', 'Could somebody give me a lift? ',
        'The best evening that I have had in a long time. ', 'Bring cash, the bar takes no cards. ', 'Too short! ',
        'We were %d from %s and had a table to ourselves. ', 'Will there be a second date? ', 'Loved the talk, less so the chairs. ',
    ];
}
