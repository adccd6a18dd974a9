"""US states and the Census Bureau's four regions. Pure."""

#: State (and the District of Columbia) → postal code.
STATES: dict[str, str] = {
    "Alabama": "AL",
    "Alaska": "AK",
    "Arizona": "AZ",
    "Arkansas": "AR",
    "California": "CA",
    "Colorado": "CO",
    "Connecticut": "CT",
    "Delaware": "DE",
    "District of Columbia": "DC",
    "Florida": "FL",
    "Georgia": "GA",
    "Hawaii": "HI",
    "Idaho": "ID",
    "Illinois": "IL",
    "Indiana": "IN",
    "Iowa": "IA",
    "Kansas": "KS",
    "Kentucky": "KY",
    "Louisiana": "LA",
    "Maine": "ME",
    "Maryland": "MD",
    "Massachusetts": "MA",
    "Michigan": "MI",
    "Minnesota": "MN",
    "Mississippi": "MS",
    "Missouri": "MO",
    "Montana": "MT",
    "Nebraska": "NE",
    "Nevada": "NV",
    "New Hampshire": "NH",
    "New Jersey": "NJ",
    "New Mexico": "NM",
    "New York": "NY",
    "North Carolina": "NC",
    "North Dakota": "ND",
    "Ohio": "OH",
    "Oklahoma": "OK",
    "Oregon": "OR",
    "Pennsylvania": "PA",
    "Rhode Island": "RI",
    "South Carolina": "SC",
    "South Dakota": "SD",
    "Tennessee": "TN",
    "Texas": "TX",
    "Utah": "UT",
    "Vermont": "VT",
    "Virginia": "VA",
    "Washington": "WA",
    "West Virginia": "WV",
    "Wisconsin": "WI",
    "Wyoming": "WY",
}

#: Region → postal codes of its states (US Census Bureau, Census Regions and Divisions).
REGIONS: dict[str, frozenset[str]] = {
    "Northeast": frozenset({"CT", "MA", "ME", "NH", "NJ", "NY", "PA", "RI", "VT"}),
    "Midwest": frozenset({"IA", "IL", "IN", "KS", "MI", "MN", "MO", "ND", "NE", "OH", "SD", "WI"}),
    "South": frozenset(
        {
            "AL",
            "AR",
            "DC",
            "DE",
            "FL",
            "GA",
            "KY",
            "LA",
            "MD",
            "MS",
            "NC",
            "OK",
            "SC",
            "TN",
            "TX",
            "VA",
            "WV",
        }
    ),
    "West": frozenset(
        {"AK", "AZ", "CA", "CO", "HI", "ID", "MT", "NM", "NV", "OR", "UT", "WA", "WY"}
    ),
}

#: Outside the four regions (territories, or a place that is not a state).
OTHER = "Other"


def region_of(state: str) -> str:
    """Census region of a state, given by name or postal code in any case.

    Anything but the 50 states and DC, such as a territory, is "Other"; empty text gives empty text.
    """
    text = state.strip()
    if not text:
        return ""
    by_name = {name.casefold(): code for name, code in STATES.items()}
    code = by_name.get(text.casefold(), text.upper())
    return next((region for region, codes in REGIONS.items() if code in codes), OTHER)
