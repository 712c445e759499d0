/// What an app says that a background fetch came to (`UIBackgroundFetchResult`).
package enum FetchResult: UInt8, Sendable, Codable, CaseIterable {
    case newData, noData, failed

    package var name: String { "\(self)" }
}
