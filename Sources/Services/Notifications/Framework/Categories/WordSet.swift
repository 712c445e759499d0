/// A set of Apple's options that travels as a list of words.
protocol WordSet: OptionSet {
    associatedtype Word: Equatable
    static var table: KeyValuePairs<Word, Self> { get }
}

extension WordSet where Element == Self {
    var words: [Word] { Self.table.filter { contains($0.value) }.map(\.key) }

    init(words: [Word]) {
        self.init(Self.table.filter { words.contains($0.key) }.map(\.value))
    }
}
