/// The mistakes found so far.
struct Findings: Error {
    static let most = 50

    private(set) var errors: [ScenarioError] = []
    private(set) var isCut = false

    init() {}

    init(_ place: Place, _ problem: String, expected: String) { note(place, problem, expected: expected) }

    mutating func note(_ place: Place, _ problem: String, expected: String) {
        if errors.count < Self.most {
            errors.append(ScenarioError(place, problem, expected: expected))
        } else {
            isCut = true
        }
    }

    func errors(in file: String) -> ScenarioErrors {
        ScenarioErrors(file: file, errors: errors.sorted(), isCut: isCut)
    }
}
