/// What apps take in memory, from a file of `app,footprint_mb`.
package struct AppsTable: Hashable, Sendable {
    package struct App: Hashable, Sendable {
        package var name: String
        package var megabytes: Int64
    }

    package static let header = "app,footprint_mb"

    /// In the order of the file.
    package private(set) var apps: [App] = []
    private var places: [String: Int] = [:]

    package init(csv: [UInt8]) throws(CSVError) {
        var reader = try CSVReader(csv, header: Self.header)
        while try reader.nextRow() {
            try reader.expectFields(2)
            let name = try UsageTrace.appName(reader, field: 0)
            if places[name] != nil { throw reader.fail(0, "an app that has no line yet") }
            let megabytes = try reader.number(1, 1...1_000_000, "a footprint in whole megabytes")
            places[name] = apps.count
            apps.append(App(name: name, megabytes: megabytes))
        }
    }

    package func place(of name: String) -> Int? { places[name] }
}
